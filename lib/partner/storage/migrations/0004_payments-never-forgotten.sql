CREATE SEQUENCE "public"."record_reads" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
ALTER TABLE "onboardings" ADD COLUMN "unanswered_sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "unanswered_sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "first_sent_real_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "last_sent_real_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "next_try_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "service_users" ADD COLUMN "record_read" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "service_users" ADD COLUMN "account_read" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "routines_due" ON "routines" USING btree ("next_try_at") WHERE next_try_at is not null;--> statement-breakpoint
CREATE INDEX "routines_unanswered" ON "routines" USING btree ("destination_id") WHERE service_routine_id is null;