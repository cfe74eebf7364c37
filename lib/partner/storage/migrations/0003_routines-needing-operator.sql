-- in steps: beside the load
-- contract: the new index serves the old one's statements since release 0.1.0
CREATE INDEX CONCURRENTLY "routines_needing_operator" ON "routines" USING btree ("id") WHERE state in ('missing', 'conflicting', 'unanswered') or second_service_routine_id is not null and second_seen_by is null;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "routines_attention";