import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

// A server unknown to the run: an orphan in its own session with children, like a PostgreSQL started by Patroni or pg_ctl. It
// exits with its connection.
const server = `
  const [folder, port, depth = "0"] = process.argv.slice(2);
  require("node:net").connect(Number(port), "127.0.0.1").on("error", () => {});
  if (depth < 2) require("node:child_process").spawn(process.execPath, [__filename, folder, port, String(depth + 1)], { detached: true, stdio: "ignore" });`;

test.each(["SIGTERM", "SIGKILL", "SIGINT"] as const)(
  "a run ended by %s leaves no folder and no process using it",
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), "gangway-reaped-"));
    const neighbour = mkdtempSync(`${folder}-`);
    const scripts = mkdtempSync(join(tmpdir(), "gangway-reaper-"));
    const alive = new Map<string, Socket>();
    const listener = createServer((socket) => {
      const port = String(socket.remotePort);
      alive.set(
        port,
        socket.resume().on("error", () => {}),
      );
      socket.once("close", () => alive.delete(port));
    });
    await once(listener.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => {
      // Leftovers without a connection exit on their own.
      for (const socket of alive.values()) socket.destroy();
      listener.close();
      for (const one of [folder, neighbour, scripts]) rmSync(one, { recursive: true, force: true });
    });
    const port = String((listener.address() as AddressInfo).port);
    const serverFile = join(scripts, "server.cjs");
    writeFileSync(serverFile, server);
    const runFile = join(scripts, "run.mjs");
    writeFileSync(
      runFile,
      `import { spawn } from "node:child_process";
       import { startReaper } from ${JSON.stringify(resolve("lab/crash/processes/start-reaper.ts"))};
       startReaper().send({ folder: ${JSON.stringify(folder)} });
       for (const of of ${JSON.stringify([folder, neighbour])})
         spawn(process.execPath, [${JSON.stringify(serverFile)}, of, "${port}"], { detached: true, stdio: "ignore" });
       setInterval(() => {}, 1000);`,
    );
    const run = spawn(process.execPath, [runFile], { stdio: ["ignore", "ignore", "inherit"] });
    onTestFinished(() => void run.kill("SIGKILL"));
    await expect.poll(() => alive.size).toBe(6);
    run.kill(signal);
    // Another run's folder with the same prefix isn't touched.
    await expect.poll(() => alive.size).toBe(3);
    await expect.poll(() => existsSync(folder)).toBe(false);
    expect(alive.size).toBe(3);
    expect(existsSync(neighbour)).toBe(true);
  },
  60_000,
);
