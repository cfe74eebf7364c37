ALTER TABLE "sandbox_events" ADD COLUMN "bodies" json;--> statement-breakpoint
ALTER TABLE "sandbox_events" ADD COLUMN "bytes" integer DEFAULT 0 NOT NULL;