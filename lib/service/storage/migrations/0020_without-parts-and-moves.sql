-- in steps: the index is dropped without blocking writes
-- contract: nothing reads parts of accounts, or clients that are away, since release 0.1.0
DROP TRIGGER "user_intents_written_here" ON "user_intents";
--> statement-breakpoint
DROP TRIGGER "user_intents_changed_here" ON "user_intents";
--> statement-breakpoint
DROP TRIGGER "users_written_here" ON "users";
--> statement-breakpoint
DROP TRIGGER "users_changed_here" ON "users";
--> statement-breakpoint
DROP TRIGGER "identity_verification_tokens_written_here" ON "identity_verification_tokens";
--> statement-breakpoint
DROP TRIGGER "identity_verification_tokens_changed_here" ON "identity_verification_tokens";
--> statement-breakpoint
DROP TRIGGER "visits_written_here" ON "visits";
--> statement-breakpoint
DROP TRIGGER "visits_changed_here" ON "visits";
--> statement-breakpoint
DROP TRIGGER "authorizations_written_here" ON "authorizations";
--> statement-breakpoint
DROP TRIGGER "authorizations_changed_here" ON "authorizations";
--> statement-breakpoint
DROP TRIGGER "authorization_codes_written_here" ON "authorization_codes";
--> statement-breakpoint
DROP TRIGGER "authorization_codes_changed_here" ON "authorization_codes";
--> statement-breakpoint
DROP TRIGGER "faults_written_here" ON "faults";
--> statement-breakpoint
DROP TRIGGER "faults_changed_here" ON "faults";
--> statement-breakpoint
DROP TRIGGER "webhook_faults_written_here" ON "webhook_faults";
--> statement-breakpoint
DROP TRIGGER "webhook_faults_changed_here" ON "webhook_faults";
--> statement-breakpoint
DROP TRIGGER "screenings_written_here" ON "screenings";
--> statement-breakpoint
DROP TRIGGER "transfers_changed_here" ON "transfers";
--> statement-breakpoint
DROP TRIGGER "clients_changed_here" ON "clients";
--> statement-breakpoint
DROP TRIGGER "webhook_endpoints_changed_here" ON "webhook_endpoints";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION check_references_of_routines() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM clients WHERE id = ANY (ARRAY(SELECT DISTINCT client_id FROM new_rows)) FOR KEY SHARE;
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
  RETURN NULL;
END $$;
--> statement-breakpoint
DROP FUNCTION refuse_rows_of_away_clients();
--> statement-breakpoint
DROP FUNCTION refuse_endpoint_of_away_client();
--> statement-breakpoint
DROP FUNCTION refuse_change_of_away_client();
--> statement-breakpoint
DROP FUNCTION refuse_away_clients(text[]);
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "clients_away";
--> statement-breakpoint
ALTER TABLE "clients" DROP COLUMN "away_since_real_at";
--> statement-breakpoint
DROP TABLE "account_parts";
--> statement-breakpoint
DROP FUNCTION refuse_loss_of_part();
--> statement-breakpoint
ALTER TABLE "accounts" DROP CONSTRAINT "accounts_divided_is_empty";
--> statement-breakpoint
ALTER TABLE "accounts" DROP CONSTRAINT "accounts_parts_few";
--> statement-breakpoint
ALTER TABLE "accounts" DROP COLUMN "parts";
--> statement-breakpoint
ALTER TABLE "holds" DROP COLUMN "part_number";
