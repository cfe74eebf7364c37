-- in steps: the index is built without holding up the load
ALTER TABLE "clients" ADD COLUMN "away_since_real_at" timestamp with time zone;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "clients_away" ON "clients" USING btree ("id") WHERE away_since_real_at is not null;
--> statement-breakpoint
-- From the moment at which a client is away, nothing is written for it here any more, whoever tries (docs/decisions/0065). Each
-- statement that begins a change of a client's data is asked once, after it has written: so whoever saw the client still here
-- had a number as a transaction before the client was away, and the move waits for all of those.
CREATE FUNCTION refuse_away_clients(client_ids text[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (SELECT FROM clients WHERE away_since_real_at IS NOT NULL AND id = ANY (client_ids)) THEN
    RAISE EXCEPTION 'a client is being moved to another database, or was' USING ERRCODE = 'GW001';
  END IF;
END $$;
--> statement-breakpoint
-- Nearly always nobody is, which an empty index tells.
CREATE FUNCTION refuse_rows_of_away_clients() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (SELECT FROM clients WHERE away_since_real_at IS NOT NULL) THEN
    PERFORM refuse_away_clients(ARRAY(SELECT DISTINCT client_id FROM new_rows));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER user_intents_written_here AFTER INSERT ON user_intents REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER user_intents_changed_here AFTER UPDATE ON user_intents REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER users_written_here AFTER INSERT ON users REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER users_changed_here AFTER UPDATE ON users REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER identity_verification_tokens_written_here AFTER INSERT ON identity_verification_tokens REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER identity_verification_tokens_changed_here AFTER UPDATE ON identity_verification_tokens REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER visits_written_here AFTER INSERT ON visits REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER visits_changed_here AFTER UPDATE ON visits REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER authorizations_written_here AFTER INSERT ON authorizations REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER authorizations_changed_here AFTER UPDATE ON authorizations REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER authorization_codes_written_here AFTER INSERT ON authorization_codes REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER authorization_codes_changed_here AFTER UPDATE ON authorization_codes REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER faults_written_here AFTER INSERT ON faults REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER faults_changed_here AFTER UPDATE ON faults REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER webhook_faults_written_here AFTER INSERT ON webhook_faults REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER webhook_faults_changed_here AFTER UPDATE ON webhook_faults REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER screenings_written_here AFTER INSERT ON screenings REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
CREATE TRIGGER transfers_changed_here AFTER UPDATE ON transfers REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
-- The settings of a client and of its endpoint. What workers note of an endpoint that fails may be lost with the move.
CREATE FUNCTION refuse_change_of_away_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a client is being moved to another database, or was' USING ERRCODE = 'GW001';
END $$;
--> statement-breakpoint
CREATE TRIGGER clients_changed_here AFTER UPDATE ON clients FOR EACH ROW
  WHEN (OLD.away_since_real_at IS NOT NULL AND NEW.away_since_real_at IS NOT NULL)
  EXECUTE FUNCTION refuse_change_of_away_client();
--> statement-breakpoint
CREATE FUNCTION refuse_endpoint_of_away_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refuse_away_clients(ARRAY[NEW.client_id]);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER webhook_endpoints_changed_here AFTER UPDATE ON webhook_endpoints FOR EACH ROW
  WHEN (OLD.url IS DISTINCT FROM NEW.url OR OLD.secret_encrypted IS DISTINCT FROM NEW.secret_encrypted)
  EXECUTE FUNCTION refuse_endpoint_of_away_client();
--> statement-breakpoint
-- Bookings, tokens and postings without a transfer are asked by the triggers that check their references. Webhooks and
-- idempotency keys are written with one of all these.
CREATE OR REPLACE FUNCTION check_references_of_routines() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM clients WHERE id = ANY (ARRAY(SELECT DISTINCT client_id FROM new_rows)) FOR KEY SHARE;
  IF EXISTS (SELECT FROM clients WHERE away_since_real_at IS NOT NULL) THEN
    PERFORM refuse_away_clients(ARRAY(SELECT DISTINCT client_id FROM new_rows));
  END IF;
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT client_id, user_id FROM new_rows) n
    WHERE (SELECT true FROM users u WHERE u.id = n.user_id AND u.client_id = n.client_id) IS NULL
  ) THEN
    RAISE EXCEPTION 'a routine must be of a user of its client'
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION check_references_of_tokens() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM clients WHERE id = ANY (ARRAY(SELECT DISTINCT client_id FROM new_rows)) FOR KEY SHARE;
  IF EXISTS (SELECT FROM clients WHERE away_since_real_at IS NOT NULL) THEN
    PERFORM refuse_away_clients(ARRAY(SELECT DISTINCT client_id FROM new_rows));
  END IF;
  IF EXISTS (
    SELECT FROM new_rows n
    WHERE (
      SELECT true FROM authorizations a
      WHERE a.id = n.authorization_id AND a.client_id = n.client_id AND a.user_id = n.user_id) IS NULL
  ) THEN
    RAISE EXCEPTION 'a token must be of an authorization of its client and user'
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION check_references_of_entries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (
    SELECT FROM new_rows n
    WHERE CASE WHEN n.transfer_id IS NULL
      THEN (SELECT true FROM accounts a WHERE a.id = n.account_id)
      ELSE (SELECT true FROM transfers t WHERE t.id = n.transfer_id AND n.account_id IN (t.source_id, t.destination_id))
    END IS NULL
  ) THEN
    RAISE EXCEPTION 'an entry must be of an account, and of its transfer''s source or destination if it has a transfer'
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  -- Of a transfer, transfers_changed_here has asked.
  IF EXISTS (SELECT FROM clients WHERE away_since_real_at IS NOT NULL) THEN
    PERFORM refuse_away_clients(ARRAY(
      SELECT DISTINCT a.client_id FROM new_rows n JOIN accounts a ON a.id = n.account_id WHERE n.transfer_id IS NULL));
  END IF;
  RETURN NULL;
END $$;
