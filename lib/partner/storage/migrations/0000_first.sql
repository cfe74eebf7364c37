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
CREATE TABLE "onboardings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"person_id" uuid NOT NULL,
	"idempotency_key" uuid NOT NULL,
	"user_intent_id" text,
	"status" text NOT NULL,
	"rejection_reasons" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"user_id" text,
	"service_updated_at" timestamp with time zone,
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
	"created_by" uuid NOT NULL,
	"service_routine_id" text,
	"transfer_id" text,
	"name" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"source_id" text NOT NULL,
	"destination_id" text NOT NULL,
	"seller_user_id" text NOT NULL,
	"status" text NOT NULL,
	"transfer_status" text,
	"failure_reason" text,
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
	"connected_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"person_id" uuid,
	"registration_encrypted" text,
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
CREATE TABLE "texts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"phone" text NOT NULL,
	"challenge_id" uuid,
	"person_id" uuid,
	"text_encrypted" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL
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
	"user_id" text NOT NULL,
	"resource_id" text NOT NULL,
	"trace_id" text NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"next_attempt_real_at" timestamp with time zone,
	"outcome" text,
	"received_real_at" timestamp with time zone DEFAULT now() NOT NULL,
	"processed_real_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "onboardings" ADD CONSTRAINT "onboardings_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routine_events" ADD CONSTRAINT "routine_events_routine_id_routines_id_fk" FOREIGN KEY ("routine_id") REFERENCES "public"."routines"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routines" ADD CONSTRAINT "routines_created_by_people_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_users" ADD CONSTRAINT "service_users_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_challenges" ADD CONSTRAINT "sign_in_challenges_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "texts" ADD CONSTRAINT "texts_challenge_id_sign_in_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."sign_in_challenges"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "texts" ADD CONSTRAINT "texts_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "onboardings_one_open_per_person" ON "onboardings" USING btree ("person_id") WHERE status <> 'rejected';--> statement-breakpoint
CREATE INDEX "onboardings_by_person" ON "onboardings" USING btree ("person_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "people_email" ON "people" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "service_users_by_person" ON "service_users" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "texts_by_challenge" ON "texts" USING btree ("challenge_id");--> statement-breakpoint
CREATE INDEX "texts_by_person" ON "texts" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "webhook_receipts_due" ON "webhook_receipts" USING btree ("next_attempt_real_at") WHERE next_attempt_real_at is not null;