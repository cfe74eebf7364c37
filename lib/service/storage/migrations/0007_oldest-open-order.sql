-- in steps: beside the load
-- contract: without this index, the previous version only reads more rows for one metric, since release 0.1.0
CREATE INDEX CONCURRENTLY "settlement_orders_oldest" ON "settlement_orders" USING btree ("ordered_real_at") WHERE state = 'open' and ordered_real_at > '-infinity';
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "settlement_orders_open";
