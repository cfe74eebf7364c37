-- Each write of what a page shows announces itself in its own transaction (Decision D18), whichever process makes it:
-- whom it concerns (a person's id, or 'operators'), what changed, and of one among many which. Only that something
-- changed is told, never what it is now.
CREATE FUNCTION announce_change(audience text, topic text, id text DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('harbor_changes', json_strip_nulls(json_build_object('to', audience, 'topic', topic, 'id', id))::text)
$$;
--> statement-breakpoint
CREATE FUNCTION audience_of_user(service_user_id text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT person_id::text FROM service_users WHERE id = service_user_id), 'operators')
$$;
--> statement-breakpoint
CREATE FUNCTION announce_onboarding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change((coalesce(new, old)).person_id::text, 'onboarding');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR DELETE ON onboardings
  FOR EACH ROW EXECUTE FUNCTION announce_onboarding();
--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON onboardings
  FOR EACH ROW WHEN (
    (old.status, old.rejection_reasons, old.offered_from <= harbor_now())
    IS DISTINCT FROM (new.status, new.rejection_reasons, new.offered_from <= harbor_now()))
  EXECUTE FUNCTION announce_onboarding();
--> statement-breakpoint
CREATE FUNCTION announce_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change(coalesce(new.person_id::text, 'operators'), 'user');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT ON service_users FOR EACH ROW EXECUTE FUNCTION announce_user();
--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON service_users
  FOR EACH ROW WHEN ((old.status, old.first_name, old.last_name, old.account_id) IS DISTINCT FROM (new.status, new.first_name, new.last_name, new.account_id))
  EXECUTE FUNCTION announce_user();
--> statement-breakpoint
CREATE FUNCTION announce_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change(audience_of_user((coalesce(new, old)).service_user_id), 'user');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR DELETE ON token_pairs
  FOR EACH ROW EXECUTE FUNCTION announce_connection();
--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON token_pairs
  FOR EACH ROW WHEN (old.issued_at IS DISTINCT FROM new.issued_at)
  EXECUTE FUNCTION announce_connection();
--> statement-breakpoint
CREATE FUNCTION announce_routine() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  routine routines := coalesce(new, old);
BEGIN
  PERFORM announce_change('operators', 'routines', routine.id::text);
  -- Before the service has it there is nothing that its seller could be shown.
  IF routine.service_routine_id IS NOT NULL OR routine.transfer_id IS NOT NULL THEN
    PERFORM announce_change(audience_of_user(routine.seller_user_id), 'routines');
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR DELETE ON routines FOR EACH ROW EXECUTE FUNCTION announce_routine();
--> statement-breakpoint
-- What Harbor notes about its own looks (tries, asked_real_at) shows on no page.
CREATE TRIGGER announce_update AFTER UPDATE ON routines
  FOR EACH ROW WHEN (
    (old.state, old.status, old.transfer_status, old.failure_reason, old.service_routine_id, old.transfer_id,
      old.second_service_routine_id, old.second_seen_by, old.resolved_by, old.replays, old.next_try_at IS NULL)
    IS DISTINCT FROM
    (new.state, new.status, new.transfer_status, new.failure_reason, new.service_routine_id, new.transfer_id,
      new.second_service_routine_id, new.second_seen_by, new.resolved_by, new.replays, new.next_try_at IS NULL))
  EXECUTE FUNCTION announce_routine();
--> statement-breakpoint
CREATE FUNCTION announce_routine_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change('operators', 'routines', new.routine_id::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT ON routine_events FOR EACH ROW EXECUTE FUNCTION announce_routine_event();
--> statement-breakpoint
-- Whoever holds a stream open for that person looks whether its session still stands.
CREATE FUNCTION announce_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change(old.person_id::text, 'session');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER UPDATE OR DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION announce_session();
--> statement-breakpoint
CREATE FUNCTION announce_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change(new.id::text, 'session');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER UPDATE ON people
  FOR EACH ROW WHEN (old.role IS DISTINCT FROM new.role) EXECUTE FUNCTION announce_role();
