import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../../scripts/embedded-postgres.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { servicePool } from "../../storage/database.ts";
import { createTestClient } from "../../testing/clients.ts";

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

// An operator can restart a busy process, and clients notice only a closed connection.
test("SIGTERM under load: every request sent on an open connection is answered, then the process exits with 0", async () => {
  const client = await createTestClient();
  const port = await freePort();
  const running = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      ROLES: "service-api,service-worker",
      SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
      SERVICE_AUTH_URL: "",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child = running;
  await once(running, "message");
  const exited = once(running, "exit");
  expect((await get(port, new Agent(), "/readyz")).statusCode).toBe(200);

  const authorization = basicCredentials(client.clientId, client.clientSecret);
  const path = "/v1/user_intent/0198c0de-0000-7000-8000-000000000000";
  const statuses: (number | undefined)[] = [];
  const dropped: Error[] = [];
  const busy = Promise.withResolvers<void>();
  const callers = Array.from({ length: 16 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let isOpen = true;
    while (isOpen) {
      try {
        const answer = await get(port, agent, path, { authorization });
        statuses.push(answer.statusCode);
        isOpen = answer.headers.connection !== "close";
      } catch (error) {
        dropped.push(error as Error);
        isOpen = false;
      }
      if (statuses.length === 200) busy.resolve();
    }
    agent.destroy();
  });
  await busy.promise;
  running.kill("SIGTERM");
  await Promise.all(callers);
  expect(dropped).toEqual([]);
  expect(new Set(statuses)).toEqual(new Set([404]));
  expect(await exited).toEqual([0, null]);
});

test("DRAIN_SECONDS: after SIGTERM, /readyz fails while new connections are still served, then streams end", async () => {
  const client = await createTestClient();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const running = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      ROLES: "service-api",
      SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
      SERVICE_AUTH_URL: "",
      METRICS_LISTEN: String(metricsPort),
      DRAIN_SECONDS: "2",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child = running;
  await once(running, "message");
  const exited = once(running, "exit");
  const keptAlive = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await get(port, keptAlive, "/healthz")).headers.connection).toBe("keep-alive");
  const stream = await openStream(port, client);
  const stoppedAt = performance.now();
  running.kill("SIGTERM");
  const statusOf = async (path: string, at = port) => (await get(at, new Agent(), path)).statusCode;
  await expect.poll(() => statusOf("/readyz")).toBe(503);
  expect(await statusOf("/readyz", metricsPort)).toBe(503);
  // A supervisor and npm may each send one.
  running.kill("SIGTERM");
  const onKept = await get(port, keptAlive, "/healthz");
  expect([onKept.statusCode, onKept.headers.connection]).toEqual([200, "close"]);
  expect([await statusOf("/healthz"), await statusOf("/v1/user")]).toEqual([200, 401]);
  expect(stream.closed).toBe(false);
  // A half-sent request body keeps the process alive after its listener has closed.
  const { statusCode, finish } = sendHalf(port, client);
  await expect.poll(() => statusOf("/healthz").catch(({ code }) => code)).toBe("ECONNREFUSED");
  expect(performance.now() - stoppedAt).toBeGreaterThan(2000);
  // A clean end, which readers can tell from a cut connection.
  await expect.poll(() => stream.closed).toBe(true);
  expect([stream.complete, stream.errored]).toEqual([true, null]);
  expect([await statusOf("/readyz", metricsPort), await statusOf("/metrics", metricsPort)]).toEqual([503, 200]);
  finish();
  expect(await statusCode).toBe(400);
  expect(await exited).toEqual([0, null]);
  const { rows } = await servicePool().query("select kind from sandbox_events where client_id = $1", [client.clientId]);
  expect(rows, "the event of the last request").toHaveLength(1);
  keptAlive.destroy();
});

// The first process of a container gets only the signals that it handles.
test("SIGTERM ends a start that waits for its database", async () => {
  const silent = createServer();
  onTestFinished(() => void silent.close());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const connected = once(silent, "connection");
  const starting = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      ROLES: "service-api",
      SERVICE_DATABASE_URL: `postgres://gangway@127.0.0.1:${port}/gangway`,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  child = starting;
  const exited = once(starting, "exit");
  await connected;
  starting.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

function openStream(port: number, { clientId, clientSecret }: ClientCredentials): Promise<IncomingMessage> {
  const headers = { authorization: basicCredentials(clientId, clientSecret) };
  return new Promise((resolve, reject) => {
    const streamRequest = request({ host: "127.0.0.1", port, path: "/sandbox/events/stream", headers }, (answer) => {
      resolve(answer.on("error", () => {}).resume());
    });
    streamRequest.once("error", reject).end();
  });
}

type ClientCredentials = { clientId: string; clientSecret: string };

function sendHalf(port: number, { clientId, clientSecret }: ClientCredentials) {
  const headers = {
    authorization: basicCredentials(clientId, clientSecret),
    "content-type": "application/json",
    "content-length": "2",
  };
  const outgoing = request({ host: "127.0.0.1", port, path: "/v1/user_intent", method: "POST", headers });
  outgoing.write("{");
  const statusCode = new Promise<number | undefined>((resolve, reject) => {
    outgoing.once("response", (answer) => resolve(answer.resume().statusCode)).once("error", reject);
  });
  return { statusCode, finish: () => void outgoing.end("}") };
}

function get(port: number, agent: Agent, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, agent, path, headers }, (answer) => {
      answer.resume().once("end", () => resolve(answer));
    });
    outgoing.once("error", reject).end();
  });
}
