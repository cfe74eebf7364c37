ALTER TABLE "access_tokens" DROP CONSTRAINT "access_tokens_authorization_id_authorizations_id_fk";
--> statement-breakpoint
ALTER TABLE "access_tokens" DROP CONSTRAINT "access_tokens_client_id_clients_id_fk";
--> statement-breakpoint
ALTER TABLE "access_tokens" DROP CONSTRAINT "access_tokens_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_client_id_clients_id_fk";
--> statement-breakpoint
ALTER TABLE "entries" DROP CONSTRAINT "entries_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "entries" DROP CONSTRAINT "entries_transfer_id_transfers_id_fk";
--> statement-breakpoint
ALTER TABLE "holds" DROP CONSTRAINT "holds_transfer_id_transfers_id_fk";
--> statement-breakpoint
ALTER TABLE "holds" DROP CONSTRAINT "holds_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_client_id_clients_id_fk";
--> statement-breakpoint
ALTER TABLE "refresh_tokens" DROP CONSTRAINT "refresh_tokens_authorization_id_authorizations_id_fk";
--> statement-breakpoint
ALTER TABLE "refresh_tokens" DROP CONSTRAINT "refresh_tokens_client_id_clients_id_fk";
--> statement-breakpoint
ALTER TABLE "refresh_tokens" DROP CONSTRAINT "refresh_tokens_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "routines" DROP CONSTRAINT "routines_client_id_clients_id_fk";
--> statement-breakpoint
ALTER TABLE "routines" DROP CONSTRAINT "routines_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "transfers" DROP CONSTRAINT "transfers_routine_id_routines_id_fk";
--> statement-breakpoint
ALTER TABLE "transfers" DROP CONSTRAINT "transfers_client_id_clients_id_fk";
--> statement-breakpoint
ALTER TABLE "transfers" DROP CONSTRAINT "transfers_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "transfers" DROP CONSTRAINT "transfers_source_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "transfers" DROP CONSTRAINT "transfers_destination_id_accounts_id_fk";
--> statement-breakpoint
-- What these foreign keys promised is kept from here on by triggers that look once for a statement, and not once for each row
-- and key (docs/decisions/0045). There are two parts, and only together they are right: what a new row refers to must be
-- there; and a row that may be referred to never goes and never gets another id, so there is no deletion that an insert could
-- race with, and no row to lock. Each check reads by primary key, and is planned so however small a table is at first,
-- because a plan is kept while the tables grow: a subquery for each row, without sequential scans.

-- A client is there if its user is, by the foreign key of users. Its row is locked as a foreign key would lock it, once:
-- that is what `waitForWriters` waits for (storage/clocks.ts).
CREATE FUNCTION check_references_of_routines() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
CREATE TRIGGER routines_references AFTER INSERT ON routines REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_references_of_routines();
--> statement-breakpoint
-- Its user and its client are its routine's, which were checked with the routine.
CREATE FUNCTION check_references_of_transfers() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (
    SELECT FROM new_rows n
    WHERE (
        SELECT true FROM routines r
        WHERE r.id = n.routine_id AND r.client_id = n.client_id AND r.user_id = n.user_id) IS NULL
      OR (
        SELECT true FROM accounts s
        WHERE s.id = n.source_id AND s.client_id = n.client_id AND s.user_id = n.user_id) IS NULL
      OR (SELECT true FROM accounts d WHERE d.id = n.destination_id AND d.client_id = n.client_id) IS NULL
  ) THEN
    RAISE EXCEPTION 'a transfer must be of a routine of its user, from an account of that user to one of the same client'
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER transfers_references AFTER INSERT ON transfers REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_references_of_transfers();
--> statement-breakpoint
CREATE FUNCTION check_references_of_holds() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (
    SELECT FROM new_rows n
    WHERE (SELECT true FROM transfers t WHERE t.id = n.transfer_id AND t.source_id = n.account_id) IS NULL
  ) THEN
    RAISE EXCEPTION 'a hold must be of a transfer, on its source'
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER holds_references AFTER INSERT ON holds REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_references_of_holds();
--> statement-breakpoint
CREATE FUNCTION check_references_of_entries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
CREATE TRIGGER entries_references AFTER INSERT ON entries REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_references_of_entries();
--> statement-breakpoint
CREATE FUNCTION check_client_of_new_rows() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT client_id FROM new_rows) n
    WHERE (SELECT true FROM clients c WHERE c.id = n.client_id) IS NULL
  ) THEN
    RAISE EXCEPTION 'a row of % must be of a client', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER deliveries_references AFTER INSERT ON deliveries REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_client_of_new_rows();
--> statement-breakpoint
CREATE TRIGGER idempotency_keys_references AFTER INSERT ON idempotency_keys REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_client_of_new_rows();
--> statement-breakpoint
-- A token's client and user are its authorization's. The client's row is locked here too.
CREATE FUNCTION check_references_of_tokens() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
CREATE TRIGGER access_tokens_references AFTER INSERT ON access_tokens REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_references_of_tokens();
--> statement-breakpoint
CREATE TRIGGER refresh_tokens_references AFTER INSERT ON refresh_tokens REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_references_of_tokens();
--> statement-breakpoint
-- What a row refers to is decided when it is written. Entries never change at all (entries_immutable).
CREATE FUNCTION refuse_change_of_references() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what a row of % refers to cannot be changed', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER routines_references_stay BEFORE UPDATE OF client_id, user_id ON routines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
CREATE TRIGGER access_tokens_references_stay BEFORE UPDATE OF authorization_id, client_id, user_id ON access_tokens
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
CREATE TRIGGER refresh_tokens_references_stay BEFORE UPDATE OF authorization_id, client_id, user_id ON refresh_tokens
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
CREATE TRIGGER transfers_references_stay
  BEFORE UPDATE OF routine_id, client_id, user_id, source_id, destination_id ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
CREATE TRIGGER holds_references_stay BEFORE UPDATE OF transfer_id, account_id ON holds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
CREATE TRIGGER deliveries_references_stay BEFORE UPDATE OF client_id ON deliveries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
CREATE TRIGGER idempotency_keys_references_stay BEFORE UPDATE OF client_id ON idempotency_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
-- These are records, kept for good: nothing in the service deletes one.
CREATE FUNCTION refuse_end_of_record() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % cannot be deleted and keep their ids', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER clients_stay BEFORE UPDATE OF id OR DELETE OR TRUNCATE ON clients
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_end_of_record();
--> statement-breakpoint
CREATE TRIGGER users_stay BEFORE UPDATE OF id OR DELETE OR TRUNCATE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_end_of_record();
--> statement-breakpoint
CREATE TRIGGER accounts_stay BEFORE UPDATE OF id OR DELETE OR TRUNCATE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_end_of_record();
--> statement-breakpoint
CREATE TRIGGER routines_stay BEFORE UPDATE OF id OR DELETE OR TRUNCATE ON routines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_end_of_record();
--> statement-breakpoint
CREATE TRIGGER transfers_stay BEFORE UPDATE OF id OR DELETE OR TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_end_of_record();
--> statement-breakpoint
CREATE TRIGGER authorizations_stay BEFORE UPDATE OF id OR DELETE OR TRUNCATE ON authorizations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_end_of_record();
