ALTER TABLE "routines" ADD COLUMN "balances" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_receipts" ADD COLUMN "duplicates" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_receipts_by_resource" ON "webhook_receipts" USING btree ("resource_id");--> statement-breakpoint
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
