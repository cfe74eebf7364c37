import { expect, test } from "vitest";
import { statementName } from "./postgres.ts";

test.each([
  [{ name: "bearer_lookup", text: "select * from access_tokens" }, "bearer_lookup"],
  [{ text: 'insert into "user_intents" ("id") values ($1)' }, "insert user_intents"],
  [{ text: 'update "visits" set "x" = $1' }, "update visits"],
  ["delete from messages where id = $1", "delete messages"],
  ["\n  select extract(epoch from now() - at) from deliveries", "select deliveries"],
  ["select extract(epoch from now())", "select"],
  ["with due as (select * from transfers) select 1", "with transfers"],
  ["begin; select pg_current_xact_id() as xid, stats_reset from pg_stat_bgwriter", "begin"],
  ["commit", "commit"],
  ["notify deliveries, 'a-secret'", "notify deliveries"],
  ["select 'a-secret', $1", "select"],
  ["", "statement"],
  [undefined, "statement"],
])("the span of %j is called %s", (statement, name) => {
  expect(statementName(statement)).toBe(name);
});
