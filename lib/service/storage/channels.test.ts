import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { channels } from "./channels.ts";

const migrations = globSync("lib/service/storage/migrations/*.sql").toSorted();

// The function derives the channel from the table, so only the tables with the trigger matter.
test("the triggers notify exactly the channels in the code", () => {
  const text = migrations.map((path) => readFileSync(path, "utf8")).join("\n");
  const prefixes = [...text.matchAll(/pg_notify\('(\w+)' \|\| TG_TABLE_NAME/g)].map(([, prefix]) => prefix);
  expect(new Set(prefixes)).toEqual(new Set(["service_"]));
  const tables = [...text.matchAll(/CREATE TRIGGER \w+ AFTER INSERT ON (\w+)[^;]*EXECUTE FUNCTION wake_worker/g)];
  expect(text.match(/pg_notify/g)).toHaveLength(prefixes.length);
  expect(text.match(/DROP TRIGGER "?\w*wake/)).toBeNull();
  // Without the partitions' copies of the trigger.
  const { deliveries, screenings, transfers } = channels;
  const whole = tables.flatMap(([, table = ""]) => (table.endsWith("_first") ? [] : `service_${table}`));
  expect(new Set(whole)).toEqual(new Set([deliveries, screenings, transfers]));
});

test("no other code contains a channel's name", () => {
  const spelled = new RegExp(`["'\`](${Object.values(channels).join("|")}|harbor_work)["'\`]`);
  const paths = globSync("{app,crash,lib,server}/**/*.{ts,tsx}").filter((path) => !path.endsWith(".test.ts"));
  const found = paths.filter((path) => spelled.test(readFileSync(path, "utf8")));
  expect(found.toSorted()).toEqual(["lib/partner/storage/channels.ts", "lib/service/storage/channels.ts"]);
});
