-- contract: nothing relies on the foreign key of attempts, or on these names of indexes, since record 0059
-- Webhooks and their attempts are partitioned by the month in which they were made, which their ids tell (version 7), so that
-- what is too old is dropped and not deleted row by row. What is there becomes the first partition of all time, which needs
-- no look at its rows; a worker divides time from then on (docs/decisions/0059).

-- The lowest id that can be made at this time.
CREATE FUNCTION first_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE STRICT AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
--> statement-breakpoint
-- When it was made.
CREATE FUNCTION time_of_id(id uuid) RETURNS timestamptz LANGUAGE sql STABLE STRICT AS $$
  SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
--> statement-breakpoint
-- The partitions of a table, the oldest first. Nothing before the oldest and nothing after the newest: "lowest" and "beyond",
-- its bounds, are null there.
CREATE FUNCTION months_of(parent regclass) RETURNS TABLE (month regclass, lowest uuid, beyond uuid) LANGUAGE sql STABLE AS $$
  SELECT m.oid::regclass, (regexp_match(bounds, 'FROM \(''(.+?)''\)'))[1]::uuid, (regexp_match(bounds, 'TO \(''(.+?)''\)'))[1]::uuid
  FROM pg_inherits JOIN pg_class m ON m.oid = inhrelid CROSS JOIN pg_get_expr(relpartbound, m.oid) AS bounds
  WHERE inhparent = parent
  ORDER BY 2 NULLS FIRST
$$;
--> statement-breakpoint
-- Divides what a partitioned table has not bounded yet, a step with each call, until the newest partition begins more than a
-- month after this moment. So there is an empty one to divide next time, which takes no time; and where nobody divides, for
-- however long, rows go on being written into the newest. Returns what it did; null when there is nothing to do, or somebody
-- does it.
CREATE FUNCTION divide_by_month(parent regclass, moment timestamptz DEFAULT now()) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = '200ms' AS $$
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
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('divide_by_month ' || parent, 0)) THEN RETURN NULL; END IF;
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
  EXECUTE (
    SELECT coalesce(string_agg(replace(pg_get_triggerdef(oid), format(' ON public.%s ', parent), format(' ON public.%I ', next_name)), ';'), '')
    FROM pg_trigger WHERE tgrelid = parent AND NOT tgisinternal);
  RETURN format('began %s', next_name);
END $$;
--> statement-breakpoint
-- Whether some webhook of these is still to be delivered. Each question has its index, whatever PostgreSQL thinks of it.
CREATE FUNCTION has_pending_deliveries(month regclass) RETURNS boolean LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  has_pending boolean;
BEGIN
  EXECUTE format($query$
    SELECT EXISTS (SELECT FROM %1$s WHERE status = 'pending' AND is_due)
      OR EXISTS (SELECT FROM %1$s WHERE status = 'pending' AND NOT is_due AND next_attempt_real_at IS NOT NULL)
      OR EXISTS (SELECT FROM %1$s WHERE status = 'pending' AND next_attempt_real_at IS NULL)
  $query$, month) INTO has_pending;
  RETURN has_pending;
END $$;
--> statement-breakpoint
-- Drops the oldest month of webhooks that was over by then and in which none is pending; or else the oldest of attempts whose
-- webhooks are all gone. Returns which; null when there is none.
CREATE FUNCTION drop_month_of_deliveries(ended_by timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
  old record;
  name text;
  is_in_use boolean;
BEGIN
  FOR old IN SELECT * FROM months_of('deliveries') WHERE beyond <= first_id_at(ended_by) LOOP
    CONTINUE WHEN has_pending_deliveries(old.month);
    -- Nobody makes one pending again from here on.
    LOCK TABLE ONLY deliveries IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', old.month);
    CONTINUE WHEN has_pending_deliveries(old.month);
    name := old.month;
    EXECUTE format('DROP TABLE %s', old.month);
    RETURN name;
  END LOOP;
  FOR old IN SELECT * FROM months_of('delivery_attempts') WHERE beyond <= first_id_at(ended_by) LOOP
    SELECT EXISTS (SELECT FROM deliveries WHERE id < old.beyond AND (old.lowest IS NULL OR id >= old.lowest)) INTO is_in_use;
    CONTINUE WHEN is_in_use;
    name := old.month;
    EXECUTE format('DROP TABLE %s', old.month);
    RETURN name;
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
ALTER TABLE "delivery_attempts" DROP CONSTRAINT "delivery_attempts_delivery_id_deliveries_id_fk";
--> statement-breakpoint
ALTER TABLE "deliveries" RENAME TO "deliveries_first";
--> statement-breakpoint
ALTER INDEX "deliveries_pkey" RENAME TO "deliveries_first_pkey";
--> statement-breakpoint
ALTER INDEX "deliveries_due" RENAME TO "deliveries_first_due";
--> statement-breakpoint
ALTER INDEX "deliveries_falling_due" RENAME TO "deliveries_first_falling_due";
--> statement-breakpoint
ALTER INDEX "deliveries_falling_due_by_client" RENAME TO "deliveries_first_falling_due_by_client";
--> statement-breakpoint
ALTER INDEX "deliveries_waiting" RENAME TO "deliveries_first_waiting";
--> statement-breakpoint
ALTER INDEX "deliveries_by_client" RENAME TO "deliveries_first_by_client";
--> statement-breakpoint
-- For deleting by age, which is over. It stays on the first partition and goes with it.
ALTER INDEX "deliveries_ended" RENAME TO "deliveries_first_ended";
--> statement-breakpoint
CREATE TABLE "deliveries" (LIKE "deliveries_first" INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE, PRIMARY KEY ("id"))
  PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("client_id","next_attempt_real_at") WHERE status = 'pending' and is_due;
--> statement-breakpoint
CREATE INDEX "deliveries_falling_due" ON "deliveries" USING btree ("next_attempt_real_at") WHERE status = 'pending' and not is_due and next_attempt_real_at is not null;
--> statement-breakpoint
CREATE INDEX "deliveries_falling_due_by_client" ON "deliveries" USING btree ("client_id","next_attempt_real_at") WHERE status = 'pending' and not is_due and next_attempt_real_at is not null;
--> statement-breakpoint
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("client_id","attempts","id") WHERE status = 'pending' and next_attempt_real_at is null;
--> statement-breakpoint
CREATE INDEX "deliveries_by_client" ON "deliveries" USING btree ("client_id","id");
--> statement-breakpoint
ALTER TABLE "deliveries" ATTACH PARTITION "deliveries_first" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
--> statement-breakpoint
CREATE TRIGGER deliveries_wake AFTER INSERT ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION wake_worker();
--> statement-breakpoint
CREATE TRIGGER deliveries_references AFTER INSERT ON deliveries REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION check_client_of_new_rows();
--> statement-breakpoint
CREATE TRIGGER deliveries_references_stay BEFORE UPDATE OF client_id ON deliveries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_references();
--> statement-breakpoint
ALTER TABLE "delivery_attempts" RENAME TO "delivery_attempts_first";
--> statement-breakpoint
ALTER INDEX "delivery_attempts_delivery_id_attempt_pk" RENAME TO "delivery_attempts_first_pkey";
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
  LIKE "delivery_attempts_first" INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE,
  CONSTRAINT "delivery_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
) PARTITION BY RANGE ("delivery_id");
--> statement-breakpoint
ALTER TABLE "delivery_attempts" ATTACH PARTITION "delivery_attempts_first" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
