-- How many webhooks wait changes within seconds, and statistics tell of a moment that is long over: mostly of one at which none
-- did. PostgreSQL then expects a row or none where thousands are, and reads and sorts all of them for each few that are taken.
-- Without statistics it expects some, and walks along the index (docs/decisions/0068).
ALTER TABLE "deliveries" ALTER COLUMN "status" SET STATISTICS 0, ALTER COLUMN "is_due" SET STATISTICS 0,
  ALTER COLUMN "next_attempt_real_at" SET STATISTICS 0, ALTER COLUMN "leased_until_real_at" SET STATISTICS 0;
--> statement-breakpoint
-- Keeps it so in each month of a table, whoever began it: the columns of which the whole has no statistics have none there, and
-- what was collected earlier is cleared. PostgreSQL can clear from version 18 on; before, it goes with its month.
CREATE FUNCTION keep_statistics_off(parent regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
  missing text;
BEGIN
  SELECT string_agg(format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', month, whole.attname), ';') INTO missing
  FROM months_of(parent) JOIN pg_attribute whole ON whole.attrelid = parent AND whole.attstattarget = 0
    JOIN pg_attribute own ON own.attrelid = month AND own.attname = whole.attname AND own.attstattarget IS DISTINCT FROM 0;
  IF missing IS NOT NULL THEN EXECUTE missing; END IF;

  IF to_regproc('pg_clear_attribute_stats') IS NOT NULL THEN
    PERFORM pg_clear_attribute_stats(s.schemaname::text, s.tablename::text, s.attname::text, s.inherited)
    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
      JOIN pg_stats s ON s.schemaname = 'public' AND s.tablename = relname AND s.attname = a.attname
    WHERE attstattarget = 0 AND (attrelid = parent OR attrelid IN (SELECT month FROM months_of(parent)));
  END IF;
END $$;
