import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import next from "next";
import { answerCalls } from "../../processes/calls.ts";

// An empty page on the same Next version, without a gateway.

const folder = resolve(import.meta.dirname, "../../../../.data/bench/empty-page");

const handlers = {
  start: async (): Promise<string> => {
    // Built next to its sources.
    mkdirSync(folder, { recursive: true });
    cpSync(join(import.meta.dirname, "app"), join(folder, "app"), { recursive: true });
    const program = createRequire(import.meta.url).resolve("next/dist/bin/next");
    const { status } = spawnSync(process.execPath, [program, "build"], { cwd: folder, stdio: "inherit" });
    if (status !== 0) throw new Error("The empty page didn't build.");
    const app = next({ dev: false, dir: folder });
    await app.prepare();
    const handle = app.getRequestHandler();
    const server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

export type EmptyPageProcess = typeof handlers;

answerCalls(handlers);
