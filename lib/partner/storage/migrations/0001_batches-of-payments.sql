CREATE TABLE "batch_payments" (
	"idempotency_key" uuid PRIMARY KEY NOT NULL,
	"batch_id" uuid NOT NULL,
	"line" integer NOT NULL,
	"seller_user_id" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"name" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"other_routine_id" uuid,
	"next_try_real_at" timestamp with time zone,
	CONSTRAINT "batch_payments_waiting_is_scheduled" CHECK ((state = 'waiting') = (next_try_real_at is not null)),
	CONSTRAINT "batch_payments_amount_positive" CHECK (amount_cents > 0)
);
--> statement-breakpoint
CREATE TABLE "payment_batches" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_by" uuid NOT NULL,
	"source_id" text NOT NULL,
	"digest" text NOT NULL,
	"confirmed_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "batch_payments" ADD CONSTRAINT "batch_payments_batch_id_payment_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."payment_batches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_batches" ADD CONSTRAINT "payment_batches_created_by_people_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "batch_payments_by_line" ON "batch_payments" USING btree ("batch_id","line");--> statement-breakpoint
CREATE INDEX "batch_payments_waiting" ON "batch_payments" USING btree ("next_try_real_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE FUNCTION announce_batch_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change('operators', 'routines', new.batch_id::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON batch_payments
  FOR EACH ROW WHEN ((old.state, old.reason) IS DISTINCT FROM (new.state, new.reason))
  EXECUTE FUNCTION announce_batch_payment();
