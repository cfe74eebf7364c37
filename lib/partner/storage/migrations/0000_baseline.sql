CREATE SEQUENCE "public"."record_reads" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "attempts" (
	"kind" text NOT NULL,
	"subject_hash" "bytea" NOT NULL,
	"count" integer NOT NULL,
	"started_real_at" timestamp with time zone NOT NULL,
	CONSTRAINT "attempts_kind_subject_hash_pk" PRIMARY KEY("kind","subject_hash")
);
--> statement-breakpoint
CREATE TABLE "clock" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"clock_offset" interval DEFAULT '0' NOT NULL,
	CONSTRAINT "clock_has_one_row" CHECK (is_only)
);
--> statement-breakpoint
CREATE TABLE "inspector_entries" (
	"person_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"trace_id" text NOT NULL,
	"details" json NOT NULL,
	"occurred_real_at" timestamp with time zone NOT NULL,
	"kept_real_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inspector_entries_person_id_id_pk" PRIMARY KEY("person_id","id")
);
--> statement-breakpoint
CREATE TABLE "onboardings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"person_id" uuid NOT NULL,
	"idempotency_key" uuid NOT NULL,
	"user_intent_id" text,
	"status" text NOT NULL,
	"unanswered_sends" integer DEFAULT 0 NOT NULL,
	"rejection_reasons" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"user_id" text,
	"service_updated_at" timestamp with time zone,
	"asked_real_at" timestamp with time zone,
	"offered_from" timestamp with time zone,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "onboardings_user_intent_id_unique" UNIQUE("user_intent_id"),
	CONSTRAINT "onboardings_submitted_has_intent" CHECK ((status = 'submitting') = (user_intent_id is null))
);
--> statement-breakpoint
CREATE TABLE "people" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"phone" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text NOT NULL,
	"last_authentication_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "routine_comparison" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"database_identity" text,
	"covered_until_real_at" timestamp with time zone,
	"compared_real_at" timestamp with time zone,
	"due_real_at" timestamp with time zone,
	"is_partial" boolean DEFAULT false NOT NULL,
	"begins_at" timestamp with time zone,
	CONSTRAINT "routine_comparison_has_one_row" CHECK (is_only)
);
--> statement-breakpoint
CREATE TABLE "routine_events" (
	"routine_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"status" text NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	CONSTRAINT "routine_events_routine_id_resource_status_pk" PRIMARY KEY("routine_id","resource","status")
);
--> statement-breakpoint
CREATE TABLE "routines" (
	"id" uuid PRIMARY KEY NOT NULL,
	"idempotency_key" uuid NOT NULL,
	"created_by" uuid,
	"service_routine_id" text,
	"transfer_id" text,
	"name" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"source_id" text NOT NULL,
	"destination_id" text NOT NULL,
	"seller_user_id" text NOT NULL,
	"state" text NOT NULL,
	"status" text,
	"transfer_status" text,
	"failure_reason" text,
	"unanswered_sends" integer DEFAULT 0 NOT NULL,
	"replays" integer DEFAULT 0 NOT NULL,
	"second_service_routine_id" text,
	"second_seen_by" uuid,
	"resolved_by" uuid,
	"end_confirmed_at" timestamp with time zone,
	"missing_real_at" timestamp with time zone,
	"first_sent_real_at" timestamp with time zone,
	"last_sent_real_at" timestamp with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp with time zone,
	"asked_real_at" timestamp with time zone,
	"balances" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "routines_idempotency_key_unique" UNIQUE("idempotency_key"),
	CONSTRAINT "routines_service_routine_id_unique" UNIQUE("service_routine_id"),
	CONSTRAINT "routines_transfer_id_unique" UNIQUE("transfer_id"),
	CONSTRAINT "routines_amount_positive" CHECK (amount_cents > 0)
);
--> statement-breakpoint
CREATE TABLE "service_users" (
	"id" text PRIMARY KEY NOT NULL,
	"person_id" uuid,
	"user_type" text NOT NULL,
	"status" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"account_id" text,
	"record_read" bigint DEFAULT 0 NOT NULL,
	"account_read" bigint DEFAULT 0 NOT NULL,
	"asked_real_at" timestamp with time zone,
	"connected_at" timestamp with time zone NOT NULL,
	"disconnected_at" timestamp with time zone,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id_hash" "bytea" PRIMARY KEY NOT NULL,
	"person_id" uuid NOT NULL,
	"expires_real_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"person_id" uuid,
	"registration_encrypted" text,
	"email_proven_at" timestamp with time zone,
	"phone" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"code_sent_real_at" timestamp with time zone NOT NULL,
	"code_expires_at" timestamp with time zone NOT NULL,
	"spent_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_in_challenges_not_both" CHECK (num_nonnulls(person_id, registration_encrypted) <= 1)
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"phone" text,
	"email" text,
	"subject" text,
	"challenge_id" uuid NOT NULL,
	"text_encrypted" text NOT NULL,
	"outcome" text NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"next_attempt_real_at" timestamp with time zone,
	"ends_real_at" timestamp with time zone NOT NULL,
	"carrier_reference" text,
	"sent_at" timestamp with time zone NOT NULL,
	CONSTRAINT "messages_waiting_is_scheduled" CHECK ((outcome = 'waiting') = (next_attempt_real_at is not null)),
	CONSTRAINT "messages_have_one_recipient" CHECK (num_nonnulls(phone, email) = 1),
	CONSTRAINT "messages_subject_of_emails" CHECK ((subject is null) = (email is null))
);
--> statement-breakpoint
CREATE TABLE "token_pairs" (
	"service_user_id" text PRIMARY KEY NOT NULL,
	"access_token_encrypted" text NOT NULL,
	"refresh_token_encrypted" text NOT NULL,
	"access_token_expires_at" timestamp with time zone NOT NULL,
	"refresh_token_expires_at" timestamp with time zone NOT NULL,
	"issued_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_receipts" (
	"webhook_id" text PRIMARY KEY NOT NULL,
	"webhook_type" text NOT NULL,
	"user_id" text,
	"resource_id" text,
	"trace_id" text NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"duplicates" integer DEFAULT 0 NOT NULL,
	"next_attempt_real_at" timestamp with time zone,
	"outcome" text,
	"received_real_at" timestamp with time zone DEFAULT now() NOT NULL,
	"processed_real_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "inspector_entries" ADD CONSTRAINT "inspector_entries_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "onboardings" ADD CONSTRAINT "onboardings_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routine_events" ADD CONSTRAINT "routine_events_routine_id_routines_id_fk" FOREIGN KEY ("routine_id") REFERENCES "public"."routines"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routines" ADD CONSTRAINT "routines_created_by_people_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routines" ADD CONSTRAINT "routines_second_seen_by_people_id_fk" FOREIGN KEY ("second_seen_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routines" ADD CONSTRAINT "routines_resolved_by_people_id_fk" FOREIGN KEY ("resolved_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_users" ADD CONSTRAINT "service_users_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_challenges" ADD CONSTRAINT "sign_in_challenges_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_challenge_id_sign_in_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."sign_in_challenges"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "inspector_entries_by_age" ON "inspector_entries" USING btree ("kept_real_at");--> statement-breakpoint
CREATE UNIQUE INDEX "onboardings_one_open_per_person" ON "onboardings" USING btree ("person_id") WHERE status <> 'rejected';--> statement-breakpoint
CREATE INDEX "onboardings_by_person" ON "onboardings" USING btree ("person_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "people_email" ON "people" USING btree ("email");--> statement-breakpoint
CREATE INDEX "routines_due" ON "routines" USING btree ("next_try_at") WHERE next_try_at is not null;--> statement-breakpoint
CREATE INDEX "routines_unanswered" ON "routines" USING btree ("destination_id") WHERE service_routine_id is null;--> statement-breakpoint
CREATE INDEX "routines_found" ON "routines" USING btree ("destination_id") WHERE created_by is null;--> statement-breakpoint
CREATE INDEX "routines_attention" ON "routines" USING btree ("id") WHERE state in ('missing', 'conflicting');--> statement-breakpoint
CREATE INDEX "routines_replayed" ON "routines" USING btree ("created_at") WHERE replays > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "service_users_by_person" ON "service_users" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "sessions_by_expiry" ON "sessions" USING btree ("expires_real_at");--> statement-breakpoint
CREATE INDEX "messages_waiting" ON "messages" USING btree ("next_attempt_real_at") WHERE outcome = 'waiting';--> statement-breakpoint
CREATE INDEX "messages_by_challenge" ON "messages" USING btree ("challenge_id");--> statement-breakpoint
CREATE INDEX "messages_by_age" ON "messages" USING btree ("sent_at");--> statement-breakpoint
CREATE INDEX "webhook_receipts_due" ON "webhook_receipts" USING btree ("next_attempt_real_at") WHERE next_attempt_real_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_receipts_by_resource" ON "webhook_receipts" USING btree ("resource_id");--> statement-breakpoint
CREATE INDEX "webhook_receipts_applied" ON "webhook_receipts" USING btree ("received_real_at") WHERE next_attempt_real_at is null;
--> statement-breakpoint
CREATE FUNCTION harbor_now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT now() + (SELECT clock_offset FROM clock)
$$;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER announce_balances AFTER UPDATE ON routines
  FOR EACH ROW WHEN (old.balances IS DISTINCT FROM new.balances) EXECUTE FUNCTION announce_routine();
--> statement-breakpoint
-- A delivery shows on the page of the payment that it is about.
CREATE FUNCTION announce_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change('operators', 'routines', id::text) FROM routines
    WHERE service_routine_id = new.resource_id OR transfer_id = new.resource_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT ON webhook_receipts FOR EACH ROW EXECUTE FUNCTION announce_receipt();
--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON webhook_receipts
  FOR EACH ROW WHEN ((old.outcome, old.duplicates) IS DISTINCT FROM (new.outcome, new.duplicates))
  EXECUTE FUNCTION announce_receipt();
--> statement-breakpoint
-- Once for a statement, however many entries it keeps.
CREATE FUNCTION announce_inspector_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change(person_id::text, 'inspector') FROM (SELECT DISTINCT person_id FROM kept) people;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT ON inspector_entries
  REFERENCING NEW TABLE AS kept FOR EACH STATEMENT EXECUTE FUNCTION announce_inspector_entries();
--> statement-breakpoint
INSERT INTO clock (is_only) VALUES (true);
