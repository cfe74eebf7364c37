CREATE TABLE "access_tokens" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"authorization_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"superseded_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"mask" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"balance_cents" bigint DEFAULT 0 NOT NULL,
	"held_cents" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "accounts_available_not_negative" CHECK (type = 'funding' or balance_cents - held_cents >= 0),
	CONSTRAINT "accounts_held_not_negative" CHECK (held_cents >= 0),
	CONSTRAINT "accounts_funding_has_no_user" CHECK ((type = 'funding') = (user_id is null))
);
--> statement-breakpoint
CREATE TABLE "authorization_codes" (
	"code_hash" "bytea" PRIMARY KEY NOT NULL,
	"authorization_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"redirect_uri" text NOT NULL,
	"code_challenge" text,
	"expires_at" timestamp with time zone NOT NULL,
	"redeemed_at" timestamp with time zone,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "authorizations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "client_cells" (
	"client_id" text PRIMARY KEY NOT NULL,
	"cell" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "clients" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"previous_secret_hash" "bytea",
	"previous_secret_ends_real_at" timestamp with time zone,
	"redirect_uris" text[] NOT NULL,
	"is_trusted_authentication_enabled" boolean DEFAULT false NOT NULL,
	"provider" text NOT NULL,
	"customers_url" text,
	"customer_endpoint_secret_encrypted" text,
	"business_profile_id" uuid NOT NULL,
	"clock_offset" interval DEFAULT '0' NOT NULL,
	"has_faults" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"webhook_type" text NOT NULL,
	"resource_id" uuid NOT NULL,
	"body" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"next_attempt_real_at" timestamp with time zone,
	"is_due" boolean DEFAULT false NOT NULL,
	"leased_until_real_at" timestamp with time zone,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"delivered_at" timestamp with time zone,
	"fault" text
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "deliveries_first" PARTITION OF "deliveries" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"delivery_id" uuid NOT NULL,
	"attempt" smallint NOT NULL,
	"sent_real_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"response_status" smallint,
	"error" text,
	CONSTRAINT "delivery_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
) PARTITION BY RANGE ("delivery_id");
--> statement-breakpoint
CREATE TABLE "delivery_attempts_first" PARTITION OF "delivery_attempts" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
--> statement-breakpoint
CREATE TABLE "encryption_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"current_since_real" timestamp with time zone DEFAULT now() NOT NULL,
	"rotated_real_at" timestamp with time zone,
	"failed_real_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "entries" (
	"posting_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"transfer_id" uuid,
	"amount_cents" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "entries_posting_id_account_id_pk" PRIMARY KEY("posting_id","account_id"),
	CONSTRAINT "entries_amount_not_zero" CHECK (amount_cents <> 0)
);
--> statement-breakpoint
CREATE TABLE "failed_verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"phone" text NOT NULL,
	"failed_real_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "faults" (
	"client_id" text NOT NULL,
	"operation" text NOT NULL,
	"status" smallint,
	"cut" text,
	"latency_ms" integer DEFAULT 0 NOT NULL,
	"remaining" integer NOT NULL,
	CONSTRAINT "faults_client_id_operation_pk" PRIMARY KEY("client_id","operation"),
	CONSTRAINT "faults_remaining_not_negative" CHECK (remaining >= 0)
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"transfer_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"amount_cents" bigint NOT NULL,
	CONSTRAINT "holds_amount_positive" CHECK (amount_cents > 0)
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"client_id" text NOT NULL,
	"user_scope" text NOT NULL,
	"operation" text NOT NULL,
	"key" uuid NOT NULL,
	"fingerprint" "bytea",
	"resource_id" uuid,
	"voided_real_at" timestamp with time zone,
	"created_real_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_client_id_user_scope_operation_key_pk" PRIMARY KEY("client_id","user_scope","operation","key"),
	CONSTRAINT "idempotency_keys_used_or_voided" CHECK (num_nonnulls(resource_id, voided_real_at) = 1 and (fingerprint is null) = (resource_id is null))
);
--> statement-breakpoint
CREATE TABLE "identity_submissions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"content_encrypted" text,
	"photo_key_encrypted" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "identity_submissions_stored_once" CHECK (num_nonnulls(content_encrypted, photo_key_encrypted) <= 1)
);
--> statement-breakpoint
CREATE TABLE "identity_verification_tokens" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_intent_id" uuid,
	"user_id" uuid,
	"customer_id" text NOT NULL,
	"last_authentication_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"spent_at" timestamp with time zone,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "identity_verification_tokens_one_person" CHECK (num_nonnulls(user_intent_id, user_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"phone" text NOT NULL,
	"text_encrypted" text NOT NULL,
	"outcome" text NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"next_attempt_real_at" timestamp with time zone,
	"ends_real_at" timestamp with time zone NOT NULL,
	"carrier_reference" text,
	"sent_at" timestamp with time zone NOT NULL,
	CONSTRAINT "messages_waiting_is_scheduled" CHECK ((outcome = 'waiting') = (next_attempt_real_at is not null))
);
--> statement-breakpoint
CREATE TABLE "operator_changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"action" text NOT NULL,
	"operator" text NOT NULL,
	"via" text NOT NULL,
	"details" jsonb NOT NULL,
	"reference" text,
	"changed_real_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "photo_deletions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"due_real_at" timestamp with time zone NOT NULL,
	"leased_until_real_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "quarantine" (
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"reason" text NOT NULL,
	"failures" integer DEFAULT 1 NOT NULL,
	"first_failed_real_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retry_real_at" timestamp with time zone NOT NULL,
	CONSTRAINT "quarantine_kind_id_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
CREATE TABLE "reconciliations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_real_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_real_at" timestamp with time zone,
	"problems" integer
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"authorization_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "routines" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox_events" (
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sandbox_events_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"client_id" text NOT NULL,
	"kind" text NOT NULL,
	"event" json NOT NULL,
	"bodies" json,
	"bytes" integer DEFAULT 0 NOT NULL,
	"joins" text[] NOT NULL,
	CONSTRAINT "sandbox_events_client_id_sequence_pk" PRIMARY KEY("client_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "screenings" (
	"user_intent_id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"due_real_at" timestamp with time zone NOT NULL,
	"identity_submission_id" uuid,
	"leased_until_real_at" timestamp with time zone,
	"reference" text,
	"polls" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settlement_orders" (
	"transfer_id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"due_real_at" timestamp with time zone,
	"leased_until_real_at" timestamp with time zone,
	"reference" text,
	"polls" smallint DEFAULT 0 NOT NULL,
	"returns_until_real_at" timestamp with time zone,
	"return_transfer_id" uuid,
	"contradiction" text,
	"ordered_real_at" timestamp with time zone NOT NULL,
	CONSTRAINT "settlement_orders_returned_once" CHECK ((state = 'returned') = (return_transfer_id is not null)),
	CONSTRAINT "settlement_orders_open_is_due" CHECK (state <> 'open' or due_real_at is not null)
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "sleeping_workers" (
	"channel" text NOT NULL,
	"worker_id" uuid NOT NULL,
	"wakes_real_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sleeping_workers_channel_worker_id_pk" PRIMARY KEY("channel","worker_id")
);
--> statement-breakpoint
CREATE TABLE "transfers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"routine_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"source_id" uuid NOT NULL,
	"destination_id" uuid NOT NULL,
	"amount_cents" bigint NOT NULL,
	"status" text NOT NULL,
	"failure_reason" text,
	"due_real_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "transfers_amount_positive" CHECK (amount_cents > 0),
	CONSTRAINT "transfers_reason_only_when_failed" CHECK ((failure_reason is not null) = (status = 'failed'))
);
--> statement-breakpoint
CREATE TABLE "user_intents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"status" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"email" text NOT NULL,
	"phone" text NOT NULL,
	"identity_encrypted" text NOT NULL,
	"metadata" jsonb,
	"rejection_reasons" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"user_id" uuid,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_intents_converted_has_user" CHECK (case when user_id is null then status <> 'converted_to_user' else status in ('converted_to_user', 'approved', 'rejected') end)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_type" text NOT NULL,
	"status" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"email" text NOT NULL,
	"phone" text NOT NULL,
	"metadata" jsonb,
	"rejection_reasons" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"business_profile_id" uuid,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_business_has_profile" CHECK ((user_type = 'business') = (business_profile_id is not null))
);
--> statement-breakpoint
CREATE TABLE "visits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"user_intent_id" uuid,
	"user_id" uuid,
	"redirect_uri" text NOT NULL,
	"state" text,
	"code_challenge" text,
	"step" text NOT NULL,
	"verification_code_hash" "bytea",
	"verification_code_tries" smallint DEFAULT 0 NOT NULL,
	"verification_code_expires_at" timestamp with time zone,
	"verification_code_sent_at" timestamp with time zone,
	"authenticated_at" timestamp with time zone,
	"problems" text[] DEFAULT '{}' NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"trace_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "visits_one_person" CHECK (num_nonnulls(user_intent_id, user_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"client_id" text PRIMARY KEY NOT NULL,
	"url" text,
	"secret_encrypted" text NOT NULL,
	"previous_secret_encrypted" text,
	"previous_secret_expires_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"failing_since_real_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"failed_deliveries" integer DEFAULT 0 NOT NULL,
	"probe_real_at" timestamp with time zone,
	"failed_probes" integer DEFAULT 0 NOT NULL,
	"has_waiting" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_faults" (
	"client_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"remaining" integer NOT NULL,
	CONSTRAINT "webhook_faults_remaining_not_negative" CHECK (remaining >= 0)
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_authorization_id_authorizations_id_fk" FOREIGN KEY ("authorization_id") REFERENCES "authorizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorizations" ADD CONSTRAINT "authorizations_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorizations" ADD CONSTRAINT "authorizations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failed_verifications" ADD CONSTRAINT "failed_verifications_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "faults" ADD CONSTRAINT "faults_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_submissions" ADD CONSTRAINT "identity_submissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_verification_tokens" ADD CONSTRAINT "identity_verification_tokens_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_verification_tokens" ADD CONSTRAINT "identity_verification_tokens_user_intent_id_user_intents_id_fk" FOREIGN KEY ("user_intent_id") REFERENCES "user_intents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_verification_tokens" ADD CONSTRAINT "identity_verification_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_changes" ADD CONSTRAINT "operator_changes_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sandbox_events" ADD CONSTRAINT "sandbox_events_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screenings" ADD CONSTRAINT "screenings_user_intent_id_user_intents_id_fk" FOREIGN KEY ("user_intent_id") REFERENCES "user_intents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screenings" ADD CONSTRAINT "screenings_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "screenings" ADD CONSTRAINT "screenings_identity_submission_id_identity_submissions_id_fk" FOREIGN KEY ("identity_submission_id") REFERENCES "identity_submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "settlement_orders" ADD CONSTRAINT "settlement_orders_transfer_id_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "settlement_orders" ADD CONSTRAINT "settlement_orders_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "settlement_orders" ADD CONSTRAINT "settlement_orders_return_transfer_id_transfers_id_fk" FOREIGN KEY ("return_transfer_id") REFERENCES "transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_intents" ADD CONSTRAINT "user_intents_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "visits" ADD CONSTRAINT "visits_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "visits" ADD CONSTRAINT "visits_user_intent_id_user_intents_id_fk" FOREIGN KEY ("user_intent_id") REFERENCES "user_intents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "visits" ADD CONSTRAINT "visits_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_faults" ADD CONSTRAINT "webhook_faults_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_tokens_one_current_per_user" ON "access_tokens" USING btree ("user_id") WHERE superseded_at is null;--> statement-breakpoint
CREATE INDEX "access_tokens_ending" ON "access_tokens" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "accounts_by_user" ON "accounts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "accounts_by_client" ON "accounts" USING btree ("client_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_one_funding_per_name" ON "accounts" USING btree ("client_id","name") WHERE type = 'funding';--> statement-breakpoint
CREATE INDEX "authorization_codes_ending" ON "authorization_codes" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "authorizations_living" ON "authorizations" USING btree ("client_id","user_id","id") WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("client_id","next_attempt_real_at") WHERE status = 'pending' and is_due;--> statement-breakpoint
CREATE INDEX "deliveries_falling_due" ON "deliveries" USING btree ("next_attempt_real_at") WHERE status = 'pending' and not is_due and next_attempt_real_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_falling_due_by_client" ON "deliveries" USING btree ("client_id","next_attempt_real_at") WHERE status = 'pending' and not is_due and next_attempt_real_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("client_id","attempts","id") WHERE status = 'pending' and next_attempt_real_at is null;--> statement-breakpoint
CREATE INDEX "deliveries_by_client" ON "deliveries" USING btree ("client_id","id");--> statement-breakpoint
CREATE INDEX "entries_by_account" ON "entries" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "entries_of_funding" ON "entries" USING btree ("account_id","posting_id") WHERE transfer_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX "entries_transfer_once" ON "entries" USING btree ("transfer_id","account_id");--> statement-breakpoint
CREATE INDEX "failed_verifications_by_phone" ON "failed_verifications" USING btree ("client_id","phone","failed_real_at");--> statement-breakpoint
CREATE INDEX "holds_by_account" ON "holds" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_real_at");--> statement-breakpoint
CREATE UNIQUE INDEX "identity_submissions_once" ON "identity_submissions" USING btree ("user_id","kind");--> statement-breakpoint
CREATE INDEX "identity_verification_tokens_ending" ON "identity_verification_tokens" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "messages_waiting" ON "messages" USING btree ("next_attempt_real_at") WHERE outcome = 'waiting';--> statement-breakpoint
CREATE INDEX "messages_by_phone" ON "messages" USING btree ("client_id","phone","id");--> statement-breakpoint
CREATE INDEX "messages_by_time" ON "messages" USING btree ("client_id","sent_at");--> statement-breakpoint
CREATE INDEX "operator_changes_by_client" ON "operator_changes" USING btree ("client_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_changes_reference_once" ON "operator_changes" USING btree ("client_id","reference") WHERE reference is not null;--> statement-breakpoint
CREATE INDEX "photo_deletions_due" ON "photo_deletions" USING btree ("due_real_at");--> statement-breakpoint
CREATE INDEX "refresh_tokens_ending" ON "refresh_tokens" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "routines_by_user" ON "routines" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "sandbox_events_by_kind" ON "sandbox_events" USING btree ("client_id","kind","sequence");--> statement-breakpoint
CREATE INDEX "sandbox_events_by_join" ON "sandbox_events" USING gin ("joins");--> statement-breakpoint
CREATE INDEX "screenings_due" ON "screenings" USING btree ("due_real_at","client_id");--> statement-breakpoint
CREATE INDEX "screenings_by_submission" ON "screenings" USING btree ("identity_submission_id") WHERE identity_submission_id is not null;--> statement-breakpoint
CREATE INDEX "settlement_orders_due" ON "settlement_orders" USING btree ("due_real_at","client_id") WHERE due_real_at is not null;--> statement-breakpoint
CREATE INDEX "settlement_orders_open" ON "settlement_orders" USING btree ("ordered_real_at") WHERE state = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "settlement_orders_by_return" ON "settlement_orders" USING btree ("return_transfer_id") WHERE return_transfer_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "transfers_one_per_routine" ON "transfers" USING btree ("routine_id");--> statement-breakpoint
CREATE INDEX "transfers_due" ON "transfers" USING btree ("due_real_at","client_id") WHERE status = 'pending' and due_real_at is not null;--> statement-breakpoint
CREATE INDEX "transfers_by_user" ON "transfers" USING btree ("user_id","status","id");--> statement-breakpoint
CREATE INDEX "transfers_by_destination" ON "transfers" USING btree ("destination_id","status","id");--> statement-breakpoint
CREATE INDEX "user_intents_by_client" ON "user_intents" USING btree ("client_id","id");--> statement-breakpoint
CREATE INDEX "user_intents_by_user" ON "user_intents" USING btree ("user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_phone" ON "users" USING btree ("client_id","phone");--> statement-breakpoint
CREATE INDEX "users_by_client" ON "users" USING btree ("client_id","id");--> statement-breakpoint
CREATE INDEX "users_business" ON "users" USING btree ("client_id") WHERE user_type = 'business';--> statement-breakpoint
CREATE INDEX "visits_ending" ON "visits" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_to_probe" ON "webhook_endpoints" USING btree ("probe_real_at") WHERE has_waiting and probe_real_at is not null and url is not null and disabled_at is null;--> statement-breakpoint
CREATE INDEX "webhook_endpoints_to_revive" ON "webhook_endpoints" USING btree ("client_id") WHERE has_waiting and probe_real_at is null and url is not null and disabled_at is null;
--> statement-breakpoint
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
-- Entries are history, and so is what operators did: a mistake is corrected by a new posting or change.
CREATE FUNCTION refuse_change_of_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% cannot be updated or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER entries_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_history();
--> statement-breakpoint
CREATE TRIGGER operator_changes_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_history();
--> statement-breakpoint
-- A notification makes commits wait for each other, so workers are told only when one of them sleeps past what was written.
-- How a worker that has just said so finds what was written without hearing it: lib/kit/wake-loop.ts.
CREATE FUNCTION wake_worker() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  earliest timestamptz := now();
BEGIN
  IF TG_ARGV[0] <> 'service_deliveries' THEN
    SELECT min(due_real_at) INTO earliest FROM new_rows;
  END IF;
  IF EXISTS (SELECT FROM sleeping_workers WHERE channel = TG_ARGV[0] AND wakes_real_at > earliest) THEN
    PERFORM pg_notify(TG_ARGV[0], TG_TABLE_SCHEMA);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER deliveries_wake AFTER INSERT ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION wake_worker('service_deliveries');
--> statement-breakpoint
CREATE TRIGGER transfers_wake AFTER INSERT ON transfers REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wake_worker('service_transfers');
--> statement-breakpoint
CREATE TRIGGER screenings_wake AFTER INSERT ON screenings REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wake_worker('service_screenings');
--> statement-breakpoint
CREATE TRIGGER settlement_orders_wake AFTER INSERT ON settlement_orders REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wake_worker('service_settlement_orders');
--> statement-breakpoint
-- The time on a client's clock, for a new row.
CREATE FUNCTION client_now(of_client text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN now() + (SELECT clock_offset FROM clients WHERE id = of_client);
END $$;
--> statement-breakpoint
-- New rows are put into arrays first: Citus plans no statement that joins a transition table to others.
-- Bookings, tokens and postings without a transfer are asked by the triggers that check their references. Webhooks and
-- idempotency keys are written with one of all these.
CREATE FUNCTION check_references_of_routines() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  client_ids text[];
  user_ids uuid[];
BEGIN
  SELECT array_agg(client_id), array_agg(user_id) INTO client_ids, user_ids
  FROM (SELECT DISTINCT client_id, user_id FROM new_rows) n;
  PERFORM FROM clients WHERE id = ANY (client_ids) FOR KEY SHARE;
  IF EXISTS (
    SELECT FROM unnest(client_ids, user_ids) AS n (client_id, user_id)
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
DECLARE
  routine_ids uuid[];
  client_ids text[];
  user_ids uuid[];
  source_ids uuid[];
  destination_ids uuid[];
BEGIN
  SELECT array_agg(routine_id), array_agg(client_id), array_agg(user_id), array_agg(source_id), array_agg(destination_id)
  INTO routine_ids, client_ids, user_ids, source_ids, destination_ids FROM new_rows;
  IF EXISTS (
    SELECT FROM unnest(routine_ids, client_ids, user_ids, source_ids, destination_ids)
      AS n (routine_id, client_id, user_id, source_id, destination_id)
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
DECLARE
  transfer_ids uuid[];
  account_ids uuid[];
BEGIN
  SELECT array_agg(transfer_id), array_agg(account_id) INTO transfer_ids, account_ids FROM new_rows;
  IF EXISTS (
    SELECT FROM unnest(transfer_ids, account_ids) AS n (transfer_id, account_id)
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
DECLARE
  transfer_ids uuid[];
  account_ids uuid[];
BEGIN
  SELECT array_agg(transfer_id), array_agg(account_id) INTO transfer_ids, account_ids FROM new_rows;
  IF EXISTS (
    SELECT FROM unnest(transfer_ids, account_ids) AS n (transfer_id, account_id)
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
DECLARE
  client_ids text[] := ARRAY(SELECT DISTINCT client_id FROM new_rows);
BEGIN
  IF EXISTS (
    SELECT FROM unnest(client_ids) AS n (client_id)
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
DECLARE
  authorization_ids uuid[];
  client_ids text[];
  user_ids uuid[];
BEGIN
  SELECT array_agg(authorization_id), array_agg(client_id), array_agg(user_id)
  INTO authorization_ids, client_ids, user_ids FROM new_rows;
  PERFORM FROM clients WHERE id = ANY (client_ids) FOR KEY SHARE;
  IF EXISTS (
    SELECT FROM unnest(authorization_ids, client_ids, user_ids) AS n (authorization_id, client_id, user_id)
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
--> statement-breakpoint
-- contract: nothing relies on the foreign key of attempts, or on these names of indexes, since record 0009
-- Webhooks and their attempts are partitioned by the month in which they were made, which their ids tell (version 7), so that
-- what is too old is dropped and not deleted row by row. What is there becomes the first partition of all time, which needs
-- no look at its rows; a worker divides time from then on.

-- The lowest id that can be made at this time.
CREATE FUNCTION first_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE STRICT AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
--> statement-breakpoint
-- When it was made.
CREATE FUNCTION time_of_id(id uuid) RETURNS timestamptz LANGUAGE sql STABLE STRICT AS $$
  SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
--> statement-breakpoint
-- The partitions of a table, the oldest first. Nothing before the oldest and nothing after the newest: "lowest" and "beyond",
-- its bounds, are null there.
CREATE FUNCTION months_of(parent regclass) RETURNS TABLE (month regclass, lowest uuid, beyond uuid) LANGUAGE sql STABLE AS $$
  SELECT m.oid::regclass, (regexp_match(bounds, 'FROM \(''(.+?)''\)'))[1]::uuid, (regexp_match(bounds, 'TO \(''(.+?)''\)'))[1]::uuid
  FROM pg_inherits JOIN pg_class m ON m.oid = inhrelid CROSS JOIN pg_get_expr(relpartbound, m.oid) AS bounds
  WHERE inhparent = parent
  ORDER BY 2 NULLS FIRST
$$;
--> statement-breakpoint
-- Divides what a partitioned table has not bounded yet, a step with each call, until the newest partition begins more than a
-- month after this moment. So there is an empty one to divide next time, which takes no time; and where nobody divides, for
-- however long, rows go on being written into the newest. Returns what it did; null when there is nothing to do, or somebody
-- does it.
CREATE FUNCTION divide_by_month(parent regclass, moment timestamptz DEFAULT now()) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT SET timezone = 'UTC' SET lock_timeout = '200ms' AS $$
DECLARE
  key name := (
    SELECT attname FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
    WHERE partrelid = parent);
  newest regclass;
  lowest uuid;
  highest uuid;
  limited text;
  is_checked boolean;
  ends timestamptz;
  bound uuid;
  next_name text;
  definition text;
BEGIN
  BEGIN
    -- Held by nobody else who divides, and in the way of no reader or writer.
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', parent);
  EXCEPTION WHEN lock_not_available THEN RETURN NULL;
  END;
  SELECT m.month, m.lowest INTO STRICT newest, lowest FROM months_of(parent) m WHERE m.beyond IS NULL;
  IF lowest > first_id_at(moment + interval '1 month') THEN RETURN NULL; END IF;

  EXECUTE format('SELECT %I FROM %s ORDER BY %1$I DESC LIMIT 1', key, newest) INTO highest;
  SELECT pg_get_constraintdef(oid), convalidated INTO limited, is_checked
  FROM pg_constraint WHERE conrelid = newest AND conname = 'before_next_month';
  -- Beyond all that is there and all that comes while this is under way.
  ends := greatest(
    date_trunc('month', time_of_id(lowest) + interval '1 month'),
    CASE WHEN lowest IS NULL OR highest IS NOT NULL
      THEN date_trunc('month', greatest(time_of_id(highest), moment + interval '1 day') + interval '1 month') END);
  bound := coalesce((regexp_match(limited, '< ''(.+?)'''))[1]::uuid, first_id_at(ends));

  -- To bound a partition PostgreSQL reads its rows while nobody may use it, unless a check already says what it would find.
  IF highest IS NOT NULL AND limited IS NULL THEN
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT before_next_month CHECK (%I < %L) NOT VALID', newest, key, bound);
    RETURN format('limited %s', newest);
  ELSIF NOT is_checked THEN
    EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT before_next_month', newest);
    RETURN format('checked %s', newest);
  END IF;

  next_name := format('%s_%s', parent, to_char(time_of_id(bound), 'YYYY_MM'));
  EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, newest);
  EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%L)', parent, newest,
    coalesce(quote_literal(lowest), 'MINVALUE'), bound);
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS before_next_month', newest);
  EXECUTE format('CREATE TABLE %I PARTITION OF %s FOR VALUES FROM (%L) TO (MAXVALUE)', next_name, parent, bound);
  -- Whoever writes into a month and not into the whole meets the same rules.
  FOR definition IN
    SELECT replace(pg_get_triggerdef(oid), format(' ON %I.%s ', current_schema(), parent), format(' ON %I ', next_name))
    FROM pg_trigger WHERE tgrelid = parent AND NOT tgisinternal
  LOOP
    EXECUTE definition;
  END LOOP;
  RETURN format('began %s', next_name);
END $$;
--> statement-breakpoint
-- Whether some webhook of these is still to be delivered. Each question has its index, whatever PostgreSQL thinks of it.
CREATE FUNCTION has_pending_deliveries(month regclass) RETURNS boolean LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  has_pending boolean;
BEGIN
  EXECUTE format($query$
    SELECT EXISTS (SELECT FROM %1$s WHERE status = 'pending' AND is_due)
      OR EXISTS (SELECT FROM %1$s WHERE status = 'pending' AND NOT is_due AND next_attempt_real_at IS NOT NULL)
      OR EXISTS (SELECT FROM %1$s WHERE status = 'pending' AND next_attempt_real_at IS NULL)
  $query$, month) INTO has_pending;
  RETURN has_pending;
END $$;
--> statement-breakpoint
-- Drops the oldest month of webhooks that was over by then and in which none is pending; or else the oldest of attempts whose
-- webhooks are all gone. Returns which; null when there is none.
CREATE FUNCTION drop_month_of_deliveries(ended_by timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
  old record;
  name text;
  is_in_use boolean;
BEGIN
  FOR old IN SELECT * FROM months_of('deliveries') WHERE beyond <= first_id_at(ended_by) LOOP
    CONTINUE WHEN has_pending_deliveries(old.month);
    -- Nobody makes one pending again from here on.
    LOCK TABLE ONLY deliveries IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', old.month);
    CONTINUE WHEN has_pending_deliveries(old.month);
    name := old.month;
    EXECUTE format('DROP TABLE %s', old.month);
    RETURN name;
  END LOOP;
  FOR old IN SELECT * FROM months_of('delivery_attempts') WHERE beyond <= first_id_at(ended_by) LOOP
    SELECT EXISTS (SELECT FROM deliveries WHERE id < old.beyond AND (old.lowest IS NULL OR id >= old.lowest)) INTO is_in_use;
    CONTINUE WHEN is_in_use;
    name := old.month;
    EXECUTE format('DROP TABLE %s', old.month);
    RETURN name;
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Keeps it so in each month of a table, whoever began it: the columns of which the whole has no statistics have none there, and
-- what was collected earlier is cleared. PostgreSQL can clear from version 18 on; before, it goes with its month.
CREATE FUNCTION keep_statistics_off(parent regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
  missing text;
BEGIN
  SELECT string_agg(format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', month, whole.attname), ';') INTO missing
  FROM months_of(parent) JOIN pg_attribute whole ON whole.attrelid = parent AND whole.attstattarget = 0
    JOIN pg_attribute own ON own.attrelid = month AND own.attname = whole.attname AND own.attstattarget IS DISTINCT FROM 0;
  IF missing IS NOT NULL THEN EXECUTE missing; END IF;

  IF to_regproc('pg_clear_attribute_stats') IS NOT NULL THEN
    PERFORM pg_clear_attribute_stats(s.schemaname::text, s.tablename::text, s.attname::text, s.inherited)
    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
      JOIN pg_stats s ON s.schemaname = current_schema() AND s.tablename = relname AND s.attname = a.attname
    WHERE attstattarget = 0 AND (attrelid = parent OR attrelid IN (SELECT month FROM months_of(parent)));
  END IF;
END $$;
--> statement-breakpoint
-- A partition has the triggers of its whole; divide_by_month copies them to those that it begins.
CREATE TRIGGER deliveries_wake AFTER INSERT ON deliveries_first FOR EACH STATEMENT EXECUTE FUNCTION wake_worker('service_deliveries');
--> statement-breakpoint
CREATE TRIGGER deliveries_references AFTER INSERT ON deliveries_first REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_client_of_new_rows();
--> statement-breakpoint
CREATE TRIGGER deliveries_references_stay BEFORE UPDATE OF client_id ON deliveries_first
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
-- How many webhooks wait changes within seconds, so statistics are of a moment that is over, mostly one when none waited.
-- PostgreSQL would then sort thousands for each few that a sender takes; without statistics it walks along the index.
ALTER TABLE "deliveries" ALTER COLUMN "status" SET STATISTICS 0, ALTER COLUMN "is_due" SET STATISTICS 0,
  ALTER COLUMN "next_attempt_real_at" SET STATISTICS 0, ALTER COLUMN "leased_until_real_at" SET STATISTICS 0;
--> statement-breakpoint
SELECT keep_statistics_off('deliveries');
