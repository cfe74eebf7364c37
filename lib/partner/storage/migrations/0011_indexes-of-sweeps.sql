-- in steps: indexes for what is deleted once an hour by its age, of tables that a busy Harbor fills
CREATE INDEX CONCURRENTLY "texts_by_age" ON "texts" USING btree ("sent_at");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_receipts_applied" ON "webhook_receipts" USING btree ("received_real_at") WHERE next_attempt_real_at is null;
