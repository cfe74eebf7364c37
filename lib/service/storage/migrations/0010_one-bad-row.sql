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
DROP INDEX "access_tokens_by_authorization";--> statement-breakpoint
DROP INDEX "authorizations_by_user";--> statement-breakpoint
DROP INDEX "deliveries_due";--> statement-breakpoint
DROP INDEX "deliveries_waiting";--> statement-breakpoint
DROP INDEX "refresh_tokens_by_authorization";--> statement-breakpoint
DROP INDEX "access_tokens_one_current_per_user";--> statement-breakpoint
DROP INDEX "screenings_due";--> statement-breakpoint
DROP INDEX "transfers_by_user";--> statement-breakpoint
DROP INDEX "transfers_by_destination";--> statement-breakpoint
CREATE INDEX "access_tokens_ending" ON "access_tokens" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "authorization_codes_ending" ON "authorization_codes" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "authorizations_living" ON "authorizations" USING btree ("client_id","user_id","id") WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX "deliveries_pending" ON "deliveries" USING btree ("client_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_ended" ON "deliveries" USING btree ("client_id","created_at") WHERE status <> 'pending';--> statement-breakpoint
CREATE INDEX "identity_verification_tokens_ending" ON "identity_verification_tokens" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "messages_by_time" ON "messages" USING btree ("client_id","sent_at");--> statement-breakpoint
CREATE INDEX "refresh_tokens_ending" ON "refresh_tokens" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE INDEX "users_by_client" ON "users" USING btree ("client_id","id");--> statement-breakpoint
CREATE INDEX "visits_ending" ON "visits" USING btree ("client_id","expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "access_tokens_one_current_per_user" ON "access_tokens" USING btree ("user_id") WHERE superseded_at is null;--> statement-breakpoint
CREATE INDEX "screenings_due" ON "screenings" USING btree ("client_id","due_at");--> statement-breakpoint
CREATE INDEX "transfers_by_user" ON "transfers" USING btree ("user_id","status","id");--> statement-breakpoint
CREATE INDEX "transfers_by_destination" ON "transfers" USING btree ("destination_id","status","id");--> statement-breakpoint
ALTER TABLE "access_tokens" DROP COLUMN "revoked_at";--> statement-breakpoint
ALTER TABLE "refresh_tokens" DROP COLUMN "revoked_at";