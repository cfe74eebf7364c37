import { expect, test } from "vitest";
import { startServiceApp } from "../../../server/service-app.ts";
import { firstCell, inCell } from "../cells.ts";
import { operatorSettings } from "../testing/operator.ts";
import { useTwoCells } from "../testing/two-cells.ts";
import { servicePool } from "./database.ts";

test.each(["service-api", "service-worker"] as const)("%s starts while another cell's node is down", async (role) => {
  Object.assign(process.env, operatorSettings);
  await useTwoCells();
  await inCell(firstCell, servicePool).query(
    "insert into cell_nodes (cell, hosts) values (2, '127.0.0.1:1') on conflict (cell) do update set hosts = excluded.hosts",
  );
  const started = await startServiceApp(new Set([role]));
  expect(await started?.isReady()).toBe(true);
});
