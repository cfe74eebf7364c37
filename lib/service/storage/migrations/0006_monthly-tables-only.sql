-- Both run as the owner, so they refuse any table but the two that are divided by the month.
CREATE OR REPLACE FUNCTION divide_by_month(parent regclass, moment timestamptz DEFAULT now()) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT SET timezone = 'UTC' SET lock_timeout = '200ms' AS $$
DECLARE
  key name := (
    SELECT attname FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
    WHERE partrelid = parent);
  newest regclass;
  lowest uuid;
  highest uuid;
  limited text;
  is_checked boolean;
  ends timestamptz;
  bound uuid;
  next_name text;
  definition text;
BEGIN
  IF parent NOT IN ('deliveries'::regclass, 'delivery_attempts'::regclass) THEN
    RAISE EXCEPTION '% is not divided by the month', parent USING ERRCODE = 'wrong_object_type';
  END IF;
  BEGIN
    -- Held by nobody else who divides, and in the way of no reader or writer.
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', parent);
  EXCEPTION WHEN lock_not_available THEN RETURN NULL;
  END;
  SELECT m.month, m.lowest INTO STRICT newest, lowest FROM months_of(parent) m WHERE m.beyond IS NULL;
  IF lowest > first_id_at(moment + interval '1 month') THEN RETURN NULL; END IF;

  EXECUTE format('SELECT %I FROM %s ORDER BY %1$I DESC LIMIT 1', key, newest) INTO highest;
  SELECT pg_get_constraintdef(oid), convalidated INTO limited, is_checked
  FROM pg_constraint WHERE conrelid = newest AND conname = 'before_next_month';
  -- Beyond all that is there and all that comes while this is under way.
  ends := greatest(
    date_trunc('month', time_of_id(lowest) + interval '1 month'),
    CASE WHEN lowest IS NULL OR highest IS NOT NULL
      THEN date_trunc('month', greatest(time_of_id(highest), moment + interval '1 day') + interval '1 month') END);
  bound := coalesce((regexp_match(limited, '< ''(.+?)'''))[1]::uuid, first_id_at(ends));

  -- To bound a partition PostgreSQL reads its rows while nobody may use it, unless a check already says what it would find.
  IF highest IS NOT NULL AND limited IS NULL THEN
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT before_next_month CHECK (%I < %L) NOT VALID', newest, key, bound);
    RETURN format('limited %s', newest);
  ELSIF NOT is_checked THEN
    EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT before_next_month', newest);
    RETURN format('checked %s', newest);
  END IF;

  next_name := format('%s_%s', parent, to_char(time_of_id(bound), 'YYYY_MM'));
  EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, newest);
  EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%L)', parent, newest,
    coalesce(quote_literal(lowest), 'MINVALUE'), bound);
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS before_next_month', newest);
  EXECUTE format('CREATE TABLE %I PARTITION OF %s FOR VALUES FROM (%L) TO (MAXVALUE)', next_name, parent, bound);
  -- Whoever writes into a month and not into the whole meets the same rules.
  FOR definition IN
    SELECT replace(pg_get_triggerdef(oid), format(' ON %I.%s ', current_schema(), parent), format(' ON %I ', next_name))
    FROM pg_trigger WHERE tgrelid = parent AND NOT tgisinternal
  LOOP
    EXECUTE definition;
  END LOOP;
  RETURN format('began %s', next_name);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION keep_statistics_off(parent regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
  missing text;
BEGIN
  IF parent NOT IN ('deliveries'::regclass, 'delivery_attempts'::regclass) THEN
    RAISE EXCEPTION '% is not divided by the month', parent USING ERRCODE = 'wrong_object_type';
  END IF;
  SELECT string_agg(format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', month, whole.attname), ';') INTO missing
  FROM months_of(parent) JOIN pg_attribute whole ON whole.attrelid = parent AND whole.attstattarget = 0
    JOIN pg_attribute own ON own.attrelid = month AND own.attname = whole.attname AND own.attstattarget IS DISTINCT FROM 0;
  IF missing IS NOT NULL THEN EXECUTE missing; END IF;

  IF to_regproc('pg_clear_attribute_stats') IS NOT NULL THEN
    PERFORM pg_clear_attribute_stats(s.schemaname::text, s.tablename::text, s.attname::text, s.inherited)
    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
      JOIN pg_stats s ON s.schemaname = current_schema() AND s.tablename = relname AND s.attname = a.attname
    WHERE attstattarget = 0 AND (attrelid = parent OR attrelid IN (SELECT month FROM months_of(parent)));
  END IF;
END $$;
