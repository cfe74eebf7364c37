ALTER TABLE "routines" ALTER COLUMN "status" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "state" text;--> statement-breakpoint
UPDATE "routines" SET "state" = CASE
  WHEN "status" IN ('submitting', 'unanswered', 'refused') THEN "status"
  WHEN "transfer_status" = 'processed' THEN 'succeeded'
  WHEN "transfer_status" IN ('failed', 'cancelled') THEN "transfer_status"
  ELSE 'open' END;--> statement-breakpoint
UPDATE "routines" SET "status" = NULL WHERE "status" IN ('submitting', 'unanswered', 'refused');--> statement-breakpoint
UPDATE "routines" SET "next_try_at" = now() WHERE "state" = 'open';--> statement-breakpoint
ALTER TABLE "routines" ALTER COLUMN "state" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "replays" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "second_service_routine_id" text;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "second_seen_by" uuid;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "resolved_by" uuid;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "asked_real_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "routines" ADD CONSTRAINT "routines_second_seen_by_people_id_fk" FOREIGN KEY ("second_seen_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "routines" ADD CONSTRAINT "routines_resolved_by_people_id_fk" FOREIGN KEY ("resolved_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "routines_replayed" ON "routines" USING btree ("created_at") WHERE replays > 0;--> statement-breakpoint
ALTER TABLE "service_users" ADD COLUMN "asked_real_at" timestamp with time zone;