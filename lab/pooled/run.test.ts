import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../scripts/processes.ts";

// Stand-ins for the pooler, which listens on its configured port, and for the tests; both run until stopped.
const note = (name: string) => `require("node:fs").writeFileSync(${JSON.stringify(name)}, String(process.pid));`;
const standIns = {
  pgbouncer: `const [, port] = /listen_port = (\\d+)/.exec(require("node:fs").readFileSync(process.argv[3], "utf8"));
    require("node:net").createServer().listen(Number(port), "127.0.0.1");`,
  vitest: "setInterval(() => {}, 1000);",
};

test("SIGTERM ends the pooler and the tests, and leaves no folder behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-pooled-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The pooler runs as another user if the tests run as root.
  chmodSync(folder, 0o777);
  const pidFile = (name: string) => join(folder, `${name}.pid`);
  for (const [name, script] of Object.entries(standIns)) {
    writeFileSync(join(folder, name), `#!${process.execPath}\n${note(pidFile(name))}\n${script}\n`, { mode: 0o755 });
    chmodSync(join(folder, name), 0o755);
  }
  const env = { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter), TMPDIR: folder };
  const run = spawn(process.execPath, ["scripts/run.mjs", "lab/pooled/run.ts", "lib/partner"], {
    env,
    stdio: "inherit",
  });
  onTestFinished(() => void run.kill("SIGKILL"));
  const pidOf = (name: string) => Number(existsSync(pidFile(name)) && readFileSync(pidFile(name), "utf8"));
  await expect.poll(() => pidOf("vitest")).toBeGreaterThan(0);
  const pids = Object.keys(standIns).map(pidOf);
  onTestFinished(() => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, "SIGKILL");
  });
  run.kill("SIGTERM");
  await once(run, "exit");
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  expect(readdirSync(folder).filter((name) => /^gangway-pooled-(?!test)/.test(name))).toEqual([]);
});
