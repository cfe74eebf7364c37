import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { request as requestOverTls } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../scripts/debian-packages.ts";
import { freePort } from "../../scripts/embedded-postgres.ts";
import { createRunClient, type RunClient } from "./people.ts";
import { type CrashStack, startCrashStack } from "./stack.ts";
import { startNginx } from "./start-nginx.ts";

// Longer than the time limits of docs/proxies/nginx.conf.
const drainSeconds = 3;
const bookers = 3;
const nginxProgram = findProgram("nginx");

type Call = { method: string; path: string; headers: Record<string, string>; body?: string };
type Answer = { status: number; text: string };
/** Sends a request once; rejects if the connection closes without a response. */
type Send = (call: Call) => Promise<Answer>;

test.skipIf(!nginxProgram)(
  "both APIs restarted in turn under load: no request fails, through nginx or on direct connections",
  async () => {
    const tlsPort = await freePort();
    const stack = await startCrashStack({
      apis: 2,
      folder: ".",
      settings: {
        SERVICE_BASE_URL: `https://plainbook.example:${tlsPort}`,
        TRUSTED_PROXIES: "127.0.0.1",
        DRAIN_SECONDS: String(drainSeconds),
      },
    });
    onTestFinished(() => stack.stop());
    const ports = stack.apis.map(({ url }) => new URL(url).port);
    const nginx = await startNginx(nginxProgram ?? "", { tlsPort, apiPorts: ports });
    onTestFinished(() => nginx.stop());

    const clients = [];
    const sellerCount = 2;
    for (const _ of ["proxied", "direct"]) {
      clients.push(await createRunClient({ webhookUrl: "http://127.0.0.1:9/", sourceCount: 2, sellerCount }));
    }
    const [proxied, direct] = clients as [RunClient, RunClient];
    const host = `plainbook.example:${tlsPort}`;
    const loads = [startLoad(proxied, () => overTls(tlsPort, host)), startLoad(direct, () => directly(ports, host))];
    await restartInTurn(stack, loads);
    const [throughNginx, onDirect] = await Promise.all(loads.map((load) => load.stop()));

    for (const outcome of [throughNginx, onDirect]) {
      expect(outcome?.failures).toEqual([]);
      expect(outcome?.answered).toBeGreaterThan(500);
    }
    expect(stack.apis.flatMap(({ endings }) => endings)).toEqual([]);
  },
  180_000,
);

/** Restarts each API once the load is steady, and continues until both respond again. */
async function restartInTurn({ apis }: CrashStack, loads: ReturnType<typeof startLoad>[]): Promise<void> {
  const more = (count: number) => {
    const goals = loads.map((load) => load.answered() + count);
    return expect.poll(() => loads.every((load, index) => load.answered() >= (goals[index] ?? 0)));
  };
  await more(100).toBe(true);
  for (const api of apis) {
    await api.stop();
    await more(30).toBe(true);
    await api.start();
  }
  await more(350).toBe(true);
}

/** Books with keys, refreshes and reads; each caller makes one request at a time. */
function startLoad({ basic, businessToken, sourceIds, walletIds, sellers }: RunClient, newSend: () => Send) {
  const failures: string[] = [];
  const agents: Promise<void>[] = [];
  let [answered, isStopping] = [0, false];
  const bearer = { authorization: `Bearer ${businessToken}` };
  const json = { "content-type": "application/json" };
  const readUser = () => ({ method: "GET", path: "/v1/user", headers: bearer });

  function call(next: () => Call, take: (text: string) => void = () => {}): void {
    const send = newSend();
    agents.push(
      (async () => {
        while (!isStopping) {
          const call = next();
          try {
            const { status, text } = await send(call);
            if (status >= 300) failures.push(`${call.method} ${call.path}: ${status} ${text}`);
            else take(text);
          } catch (error) {
            failures.push(`${call.method} ${call.path}: ${(error as Error).message}`);
          }
          answered++;
          await delay(5);
        }
      })(),
    );
  }

  for (let index = 0; index < bookers; index++) {
    call(() => ({
      method: "POST",
      path: "/v1/routines/book",
      headers: { ...bearer, ...json, "idempotency-key": randomUUID() },
      body: JSON.stringify({
        name: "Sales of June",
        amount: 1,
        source_id: sourceIds[index % sourceIds.length],
        destination_id: walletIds[0],
      }),
    }));
  }
  for (const seller of sellers) {
    call(
      () => ({
        method: "POST",
        path: "/v1/oauth/token",
        headers: { ...json, authorization: basic },
        body: JSON.stringify({ grant_type: "refresh_token", refresh_token: seller.refreshToken }),
      }),
      (text) => {
        seller.refreshToken = (JSON.parse(text) as { refresh_token: string }).refresh_token;
      },
    );
  }
  call(readUser);
  return {
    answered: () => answered,
    stop: async () => {
      isStopping = true;
      await Promise.all(agents);
      return { failures, answered };
    },
  };
}

/** A client of nginx, which keeps its connection while the processes behind nginx restart. */
function overTls(port: number, host: string): Send {
  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const options = {
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: { ...headers, host },
        rejectUnauthorized: false,
      };
      requestOverTls(options, (answer) => void readText(answer).then(resolve, reject))
        .once("error", reject)
        .end(body);
    });
}

/** A keep-alive client that moves to the next process when asked to close, or when a process is down. */
function directly(ports: string[], host: string): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let index = 0;
  const send = ({ method, path, headers, body }: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const port = ports[index % ports.length];
      const options = { host: "127.0.0.1", port, agent, method, path, headers: { ...headers, host } };
      request(options, (answer) => {
        if (answer.headers.connection === "close") index++;
        readText(answer).then(resolve, reject);
      })
        .once("error", reject)
        .end(body);
    });
  return async (call) => {
    try {
      return await send(call);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
      index++;
      return send(call);
    }
  };
}

async function readText(answer: IncomingMessage): Promise<Answer> {
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  return { status: answer.statusCode ?? 0, text };
}
