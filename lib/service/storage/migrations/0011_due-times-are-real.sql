CREATE TABLE "sleeping_workers" (
	"channel" text NOT NULL,
	"worker_id" uuid NOT NULL,
	"wakes_real_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sleeping_workers_channel_worker_id_pk" PRIMARY KEY("channel","worker_id")
);
--> statement-breakpoint
ALTER TABLE "deliveries" RENAME COLUMN "next_attempt_at" TO "next_attempt_real_at";--> statement-breakpoint
ALTER TABLE "screenings" RENAME COLUMN "due_at" TO "due_real_at";--> statement-breakpoint
ALTER TABLE "transfers" RENAME COLUMN "due_at" TO "due_real_at";--> statement-breakpoint
DROP INDEX "deliveries_pending";--> statement-breakpoint
DROP INDEX "screenings_due";--> statement-breakpoint
DROP INDEX "transfers_due";--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "is_due" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "failing_since_real_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "failed_deliveries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "probe_real_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "failed_probes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "has_waiting" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- What is due by a client's clock that was moved, in real time from now on.
UPDATE "deliveries" d SET "next_attempt_real_at" = d."next_attempt_real_at" - c."clock_offset" FROM "clients" c
  WHERE c."id" = d."client_id" AND c."clock_offset" <> '0' AND d."status" = 'pending';--> statement-breakpoint
UPDATE "screenings" s SET "due_real_at" = s."due_real_at" - c."clock_offset" FROM "clients" c
  WHERE c."id" = s."client_id" AND c."clock_offset" <> '0';--> statement-breakpoint
UPDATE "transfers" t SET "due_real_at" = t."due_real_at" - c."clock_offset" FROM "clients" c
  WHERE c."id" = t."client_id" AND c."clock_offset" <> '0' AND t."status" = 'pending';--> statement-breakpoint
-- Whoever has none waiting is found out by the sender's first look.
UPDATE "webhook_endpoints" SET "has_waiting" = true;--> statement-breakpoint
ALTER TABLE "sleeping_workers" SET UNLOGGED;--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("client_id","next_attempt_real_at") WHERE status = 'pending' and is_due;--> statement-breakpoint
CREATE INDEX "deliveries_falling_due" ON "deliveries" USING btree ("next_attempt_real_at") WHERE status = 'pending' and not is_due and next_attempt_real_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_falling_due_by_client" ON "deliveries" USING btree ("client_id","next_attempt_real_at") WHERE status = 'pending' and not is_due and next_attempt_real_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("client_id","attempts","id") WHERE status = 'pending' and next_attempt_real_at is null;--> statement-breakpoint
CREATE INDEX "webhook_endpoints_to_probe" ON "webhook_endpoints" USING btree ("probe_real_at") WHERE has_waiting and probe_real_at is not null and url is not null and disabled_at is null;--> statement-breakpoint
CREATE INDEX "webhook_endpoints_to_revive" ON "webhook_endpoints" USING btree ("client_id") WHERE has_waiting and probe_real_at is null and url is not null and disabled_at is null;--> statement-breakpoint
CREATE INDEX "screenings_due" ON "screenings" USING btree ("due_real_at","client_id");--> statement-breakpoint
CREATE INDEX "transfers_due" ON "transfers" USING btree ("due_real_at","client_id") WHERE status = 'pending' and due_real_at is not null;--> statement-breakpoint
-- A notification makes commits wait for each other, so workers are told only when one of them sleeps past what was written.
-- How a worker that has just said so finds what was written without hearing it: lib/kit/wake-loop.ts.
CREATE OR REPLACE FUNCTION wake_worker() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  earliest timestamptz := now();
BEGIN
  IF TG_TABLE_NAME <> 'deliveries' THEN
    SELECT min(due_real_at) INTO earliest FROM new_rows;
  END IF;
  IF EXISTS (
    SELECT FROM sleeping_workers WHERE channel = 'service_' || TG_TABLE_NAME AND wakes_real_at > earliest
  ) THEN
    PERFORM pg_notify('service_' || TG_TABLE_NAME, '');
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER transfers_wake AFTER INSERT ON transfers REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wake_worker();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER screenings_wake AFTER INSERT ON screenings REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wake_worker();
