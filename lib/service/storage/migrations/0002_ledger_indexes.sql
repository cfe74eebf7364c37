DROP INDEX "transfers_due";--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_one_funding_per_client" ON "accounts" USING btree ("client_id") WHERE type = 'funding';--> statement-breakpoint
CREATE INDEX "transfers_due" ON "transfers" USING btree ("client_id","due_at") WHERE status = 'pending' and due_at is not null;