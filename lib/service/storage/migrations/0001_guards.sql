-- What the ledger promises, kept by the database itself, whatever the code does.

-- A posting is written in one statement, and its entries sum to zero. Checked once per statement, not per row.
CREATE FUNCTION refuse_unbalanced_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM new_entries GROUP BY posting_id HAVING sum(amount_cents) <> 0) THEN
    RAISE EXCEPTION 'the entries of a posting must sum to zero' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER entries_balanced AFTER INSERT ON entries REFERENCING NEW TABLE AS new_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced_posting();
--> statement-breakpoint
-- Entries are history: a mistake is corrected by a new posting.
CREATE FUNCTION refuse_change_of_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries cannot be updated or deleted' USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER entries_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_history();
--> statement-breakpoint
-- Workers sleep until the next due time. Each of these tells one of them at commit that there may be an earlier one;
-- PostgreSQL folds equal notifications of a transaction into one.
CREATE FUNCTION wake_worker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('service_' || TG_TABLE_NAME, '');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER deliveries_wake AFTER INSERT ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION wake_worker();
--> statement-breakpoint
CREATE TRIGGER transfers_wake AFTER INSERT ON transfers FOR EACH STATEMENT EXECUTE FUNCTION wake_worker();
--> statement-breakpoint
CREATE TRIGGER screenings_wake AFTER INSERT ON screenings FOR EACH STATEMENT EXECUTE FUNCTION wake_worker();
