-- Harbor's clock (Decision D15): one row, and the one function that every statement reads the time from.
INSERT INTO clock (is_only) VALUES (true);
--> statement-breakpoint
CREATE FUNCTION harbor_now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT now() + (SELECT clock_offset FROM clock)
$$;
