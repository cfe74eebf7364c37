import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";

test.skip(process.getuid?.() !== 0, "needs root");

test("a killed run leaves no process behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-containers-"));
  const compose = { services: { sleeper: { image: "sleeper" } }, configs: {} };
  const images = { sleeper: { uid: 65_534, entrypoint: ["sleep", "300"] } };
  const start = `import { startContainers } from "./e2e/containers.ts";
await startContainers(${JSON.stringify(compose)}, ${JSON.stringify({ folder, projectFolder: folder, images })});
console.log("up");`;
  // Its own process group, which its children inherit.
  const run = spawn(process.execPath, ["--input-type=module", "-e", start], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const isLeft = () => {
    try {
      return process.kill(-(run.pid ?? 0), 0);
    } catch {
      return false;
    }
  };
  try {
    expect(String((await once(run.stdout, "data"))[0])).toBe("up\n");
    run.kill("SIGKILL");
    await once(run, "exit");
    await expect.poll(isLeft).toBe(false);
  } finally {
    if (isLeft()) process.kill(-(run.pid ?? 0), "SIGKILL");
    rmSync(folder, { recursive: true });
  }
});
