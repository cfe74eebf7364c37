import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../scripts/processes.ts";

test("SIGTERM ends the incidents", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-alerts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pidFile = join(folder, "pid");
  // Stand-ins: the rules pass, and the incidents run until stopped.
  writeFileSync(join(folder, "promtool"), "#!/bin/sh\n", { mode: 0o755 });
  const incidents = `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`;
  writeFileSync(join(folder, "vitest"), `#!${process.execPath}\n${incidents}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter) };
  const run = spawn(process.execPath, ["scripts/run.mjs", "lab/repository/check-alerts.ts"], { env, stdio: "inherit" });
  onTestFinished(() => void run.kill("SIGKILL"));
  const readPid = () => Number(existsSync(pidFile) && readFileSync(pidFile, "utf8"));
  await expect.poll(readPid).toBeGreaterThan(0);
  const pid = readPid();
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
  run.kill("SIGTERM");
  await once(run, "exit");
  await expect.poll(() => isAlive(pid)).toBe(false);
});
