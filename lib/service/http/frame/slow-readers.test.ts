import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../../../scripts/embedded-postgres.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { createTestClient } from "../../testing/clients.ts";

let child: ChildProcess | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  child?.kill("SIGKILL");
});

const readers = 150;
// Pipelined, so that the responses exceed the system's buffers.
const requestsEach = 30;

// A client that doesn't read its responses costs a connection, but no memory, and doesn't slow others down.
test("150 connections that don't read cost less than 100 MB, and API calls less than 50 ms at the median", async () => {
  const client = await createTestClient();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: { ...process.env, NODE_ENV: "production", ROLES: "service-api", SERVICE_BASE_URL: url, SERVICE_AUTH_URL: "" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child = running;
  await once(running, "message");

  const authorization = basicCredentials(client.clientId, client.clientSecret);
  const callMs = async () => {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/v1/user_intent/0198c0de-0000-7000-8000-000000000000`, {
      headers: { authorization },
    });
    expect(answer.status).toBe(404);
    await answer.arrayBuffer();
    return performance.now() - startedAt;
  };
  const medianMs = async () => {
    const times: number[] = [];
    for (let call = 0; call < 41; call++) times.push(await callMs());
    return times.sort((one, other) => one - other)[20] ?? Number.NaN;
  };
  expect((await (await fetch(`${url}/docs`)).text()).length).toBeGreaterThan(200_000);
  await medianMs();
  const before = { ms: await medianMs(), bytes: residentBytes(running) };

  const paths = ["/docs", "/docs", "/openapi.json"];
  for (let index = 0; index < readers; index++) {
    const socket = connect(port, "127.0.0.1", () => {
      const path = paths[index % paths.length];
      socket.pause().write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`.repeat(requestsEach));
    });
    sockets.push(socket);
  }
  const answered = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const counts = [...text.matchAll(/^gangway_requests_total\{.*route="\/(?:docs|openapi.json)".*\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  };
  await expect.poll(answered).toBe(readers * requestsEach + 1);
  expect(residentBytes(running) - before.bytes).toBeLessThan(100 * 1024 * 1024);
  // One fast run is enough, because other tests share the machine; after 20 s these readers are cut off.
  await expect.poll(medianMs, { timeout: 15_000 }).toBeLessThan(before.ms + 50);
});

function residentBytes({ pid }: ChildProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) * 1024;
}
