CREATE TABLE "identity_submissions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"content_encrypted" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "screenings" ADD COLUMN "identity_submission_id" uuid;--> statement-breakpoint
ALTER TABLE "visits" ADD COLUMN "problems" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "identity_submissions" ADD CONSTRAINT "identity_submissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "identity_submissions_once" ON "identity_submissions" USING btree ("user_id","kind");--> statement-breakpoint
ALTER TABLE "screenings" ADD CONSTRAINT "screenings_identity_submission_id_identity_submissions_id_fk" FOREIGN KEY ("identity_submission_id") REFERENCES "public"."identity_submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_intents_by_user" ON "user_intents" USING btree ("user_id") WHERE user_id is not null;