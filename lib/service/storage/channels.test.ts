import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { channels } from "./channels.ts";

const migrations = globSync("lib/service/storage/migrations/*.sql").toSorted();

test("the triggers notify exactly the channels in the code", () => {
  const text = migrations.map((path) => readFileSync(path, "utf8")).join("\n");
  expect(text.match(/pg_notify\(\S+,/g)).toEqual(["pg_notify(TG_ARGV[0],"]);
  expect(text.match(/DROP TRIGGER "?\w*wake/)).toBeNull();
  const triggers = [...text.matchAll(/AFTER INSERT ON (\w+)[^;]*EXECUTE FUNCTION wake_worker\('(\w+)'\)/g)];
  const { deliveries, screenings, settlementOrders, transfers } = channels;
  expect(new Map(triggers.map(([, table, channel]) => [table, channel]))).toEqual(
    new Map([
      ["deliveries", deliveries],
      ["deliveries_first", deliveries],
      ["screenings", screenings],
      ["settlement_orders", settlementOrders],
      ["transfers", transfers],
    ]),
  );
});

test("no other code contains a channel's name", () => {
  const spelled = new RegExp(`["'\`](${Object.values(channels).join("|")}|harbor_work)["'\`]`);
  const paths = globSync("{app,lib,server}/**/*.{ts,tsx}").filter((path) => !path.endsWith(".test.ts"));
  const found = paths.filter((path) => spelled.test(readFileSync(path, "utf8")));
  expect(found.toSorted()).toEqual(["lib/partner/storage/database.ts", "lib/service/storage/channels.ts"]);
});
