-- in steps: beside the load
CREATE TABLE "unknown_settlement_results" (
	"transfer_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"reason" text,
	"received_real_at" timestamp with time zone NOT NULL,
	CONSTRAINT "unknown_settlement_results_transfer_id_kind_pk" PRIMARY KEY("transfer_id","kind")
);
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "settlement_orders_open_due" ON "settlement_orders" USING btree ("due_real_at") WHERE state = 'open';