-- A user's person, or the one they were just unlinked from; the operators for the business.
CREATE OR REPLACE FUNCTION announce_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change(coalesce(new.person_id::text, old.person_id::text, 'operators'), 'user');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER announce_update AFTER UPDATE ON service_users
  FOR EACH ROW WHEN (
    (old.person_id, old.status, old.first_name, old.last_name, old.account_id)
    IS DISTINCT FROM (new.person_id, new.status, new.first_name, new.last_name, new.account_id))
  EXECUTE FUNCTION announce_user();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER announce_update AFTER UPDATE ON routines
  FOR EACH ROW WHEN (
    (old.seller_user_id, old.state, old.status, old.transfer_status, old.failure_reason, old.service_routine_id,
      old.transfer_id, old.second_service_routine_id, old.second_seen_by, old.resolved_by, old.replays,
      old.next_try_at IS NULL)
    IS DISTINCT FROM
    (new.seller_user_id, new.state, new.status, new.transfer_status, new.failure_reason, new.service_routine_id,
      new.transfer_id, new.second_service_routine_id, new.second_seen_by, new.resolved_by, new.replays,
      new.next_try_at IS NULL))
  EXECUTE FUNCTION announce_routine();
