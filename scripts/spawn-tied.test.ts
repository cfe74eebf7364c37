import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { spawnTied } from "./spawn-tied.ts";

// A stand-in for the page build: a process that runs as long as its connection.
const build = 'require("node:net").connect(Number(process.env.PORT), "127.0.0.1").on("error", () => {});';

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a build ends with the process that waits for it, even if only that one gets %s",
  async (signal) => {
    const alive = new Set<Socket>();
    const server = createServer((socket) => {
      alive.add(socket.resume().on("error", () => {}));
      socket.once("close", () => alive.delete(socket));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    // Leftovers lose their connection, and exit.
    onTestFinished(() => {
      for (const socket of alive) socket.destroy();
      server.close();
    });
    const call = `spawnTied(${JSON.stringify(writeScript("build.cjs", build))}, [], process.env)`;
    const starter = `import { spawnTied } from ${JSON.stringify(resolve("scripts/spawn-tied.ts"))}; ${call};`;
    const starting = spawn(process.execPath, [writeScript("starter.mjs", starter)], {
      env: { ...process.env, PORT: String((server.address() as AddressInfo).port) },
      stdio: ["ignore", "ignore", "inherit"],
    });
    await expect.poll(() => alive.size).toBe(1);
    starting.kill(signal);
    await expect.poll(() => alive.size).toBe(0);
  },
);

test("a tied process gets its parameters, and exits by itself when done", async () => {
  const file = writeScript("short.cjs", "process.exitCode = Number(process.argv[2]);");
  const [code] = await once(spawnTied(file, ["7"], process.env), "exit");
  expect(code).toBe(7);
});

function writeScript(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gangway-tied-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
