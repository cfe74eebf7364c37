-- in steps: beside the load
ALTER TABLE "user_intents" ADD COLUMN "was_decided" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "user_intents_pending" ON "user_intents" USING btree ("client_id","id") WHERE status = 'pending';
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "users_undecided" ON "users" USING btree ("client_id","id") WHERE status in ('pending', 'retry', 'document');
