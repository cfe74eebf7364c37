import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { startServiceApp } from "../../../server/service-app.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { firstCell, inCell } from "../cells.ts";
import { createServiceApi } from "../http/app.ts";
import { createTestClient } from "../testing/clients.ts";
import { operatorSettings } from "../testing/operator.ts";
import { useTwoCells } from "../testing/two-cells.ts";
import { forgetHosts } from "./cell-addresses.ts";
import { servicePool } from "./database.ts";

const readLog = logToFile();
let reachable: string;

beforeAll(async () => {
  Object.assign(process.env, operatorSettings);
  await useTwoCells();
  reachable = (await inCell(firstCell, createTestClient)).clientId;
  const inFirstCell = inCell(firstCell, servicePool);
  await inFirstCell.query("insert into client_cells (client_id, cell) values ('lost', 2)");
  await inFirstCell.query("insert into cell_nodes (cell, hosts) values (2, '127.0.0.1:1')");
});

test.each(["service-api", "service-worker"] as const)("%s starts while another cell's node is down", async (role) => {
  const started = await startServiceApp(new Set([role]));
  await expect.poll(() => started?.isReady()).toBe(true);
});

const runScript = (script: string, words: string[] = []) =>
  promisify(execFile)(process.execPath, ["scripts/run.mjs", `scripts/${script}`, ...words]);

test("clients in other cells can be read and changed while a cell's node is down", async () => {
  const run = (words: string[]) => runScript("client.ts", words);
  expect((await run(["disable", reachable, "--by", "dana"])).stdout).not.toBe("");
  expect((await run(["show", reachable])).stdout).toContain(`client_id: ${reachable}\n`);
  for (const words of [["show", "lost"], ["show"]]) {
    await expect(run(words)).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("ECONNREFUSED"),
    });
  }
});

test("commands for all cells do the others, name the cell that failed, and don't report success", async () => {
  const stderr = expect.stringMatching(/^Cell 2 failed: .*ECONNREFUSED.*\n$/);
  const compared = expect.stringMatching(/^Compared \d+ accounts, \d+ postings and \d+ transfers\.\n$/);
  await expect(runScript("reconcile.ts")).rejects.toMatchObject({ code: 2, stdout: compared, stderr });
  await expect(runScript("rotate-keys.ts", ["service"])).rejects.toMatchObject({ code: 1, stdout: "", stderr });
  const { rowCount } = await inCell(firstCell, servicePool).query(
    "select from encryption_keys where rotated_real_at is not null",
  );
  expect(rowCount).toBe(1);
});

test("the status page reports part of the database as down, not its webhooks and ledger as healthy", async () => {
  const answer = await createServiceApi().request("/status");
  const page = await answer.text();
  expect(answer.status).toBe(503);
  expect(page).toContain("Not responding for some applications.");
  expect(page.match(/Unknown while part of the database is down\.|Not reconciled yet\./g)).toHaveLength(2);
});

test("a cell that was unreachable at the start is closed until it has passed the checks", async () => {
  const home = inCell(firstCell, servicePool);
  await startServiceApp(new Set(["service-api"]));
  const read = () => inCell(2, () => servicePool().query("select from clients"));
  await home.query("alter table cell_2.clients rename column name to surplus");
  await home.query("delete from cell_nodes");
  forgetHosts();
  const problems = () => readLog().filter(({ msg }) => msg === "a cell cannot be opened");
  await expect.poll(problems).not.toHaveLength(0);
  await expect(read()).rejects.toThrow("hasn't been checked yet");
  await home.query("alter table cell_2.clients rename column surplus to name");
  await expect.poll(read).toMatchObject({ rowCount: 0 });
});
