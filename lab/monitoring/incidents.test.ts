import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpListener, listenOnFreePort } from "../../lib/kit/testing/http-listener.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { createRunClient, type RunClient } from "../crash/people.ts";
import { type CrashStack, startCrashStack } from "../crash/stack.ts";
import { checkAlerts, type Scrapes } from "./scrapes.ts";

// Five incidents at real processes under load. Each is scraped every second, which counts as the 15 s of a real scraper.

const stepMs = 1000;
const twoMinutes = 8;
const slowMs = 400;

let stack: CrashStack;
let receiver: HttpListener;
let client: RunClient;
let endpointStatus = 204;
const agent = new Agent({ connections: 256 });
const load = new AbortController();
let actors: Promise<void>[] = [];

beforeAll(async () => {
  receiver = await listenOnFreePort((_request, response) => response.writeHead(endpointStatus).end());
  stack = await startCrashStack({ apis: 1, folder: ".", settings: { SERVICE_REQUESTS_PER_SECOND_MAX: "100000" } });
  client = await createRunClient({ webhookUrl: receiver.url, sourceCount: 1, sellerCount: 1 });
  actors = [keep(20, () => send("GET", "/v1/user")), keep(50, pay)];
});

afterAll(async () => {
  load.abort();
  await Promise.all(actors);
  await agent.destroy();
  await stack.stop();
  await receiver.stop();
});

// Fires, rightly, also while other work slows this machine down.
const slow = "GangwayLatencyBurning";

test("a healthy service under load raises no alert", async () => {
  const watchHealthy = async () => {
    const { scrapes, at } = await watch({ steps: 2 * twoMinutes });
    return checkAlerts(scrapes, { at, fired: [] });
  };
  // Watched again if it raised one, in case other work slowed this machine down.
  await expect.poll(watchHealthy, { timeout: 150_000 }).toBeUndefined();
});

test("a database that responds 400 ms later: LatencyBurning", async () => {
  const slowDown = (ms: number) => {
    for (const { proxy } of [...stack.apis, stack.worker]) proxy.delayAnswers(ms);
  };
  const found = await watch({ begin: async () => slowDown(slowMs), end: async () => slowDown(0) });
  expectAlerts(found, ["GangwayLatencyBurning"], ["PlainbookPoolWaiting"]);
});

test("a transaction that holds a payer's row: AccountHeld", async () => {
  // Like a person's psql session: our own sessions end after ten idle seconds.
  const holder = new pg.Client({ connectionString: process.env["SERVICE_DATABASE_URL"] });
  await holder.connect();
  const found = await watch({
    begin: async () => {
      await holder.query("begin");
      await holder.query("select from accounts where id = $1 for update", [client.sourceIds[0]]);
    },
    end: async () => void (await holder.query("rollback")),
  });
  await holder.end();
  expectAlerts(found, ["PlainbookAccountHeld"], ["GangwayErrorsBurning"]);
});

test("a stopped worker: TargetDown and DueWorkOld", async () => {
  const found = await watch({
    begin: () => stack.worker.kill(),
    // A 1 s step counts as 15 s, so move the rest here.
    during: async () => {
      await servicePool().query(`
        update transfers set due_real_at = due_real_at - interval '14 s'
        where status = 'pending' and due_real_at < now()`);
    },
    end: () => stack.worker.start(),
  });
  expectAlerts(found, ["GangwayTargetDown", "PlainbookDueWorkOld"], ["PlainbookOutboxOld"]);
});

test("26,000 invalid grants in a minute: ClientHammering", async () => {
  const minute = 4;
  const found = await watch({
    during: async (step) => {
      if (step < minute) await Promise.all(Array.from({ length: 50 }, () => guess(26_000 / minute / 50)));
    },
  });
  expectAlerts(found, ["PlainbookClientHammering"]);
});

// Last, because its webhooks wait for the next probe.
test("a client's dead endpoint: EndpointFailing", async () => {
  const found = await watch({
    begin: async () => {
      endpointStatus = 500;
    },
    end: async () => {
      endpointStatus = 204;
    },
  });
  expectAlerts(found, ["PlainbookEndpointFailing"]);
});

type Incident = {
  /** Scrapes after the incident began. */
  steps?: number;
  begin?: () => Promise<void>;
  during?: (step: number) => Promise<void>;
  end?: () => Promise<void>;
};

type Found = { scrapes: Scrapes; began: number; at: number };

/** Scrapes two healthy minutes, then the incident. `at`: its last scrape. */
async function watch({ steps = twoMinutes, begin, during, end }: Incident): Promise<Found> {
  const processes = [...stack.apis, stack.worker];
  const pending = processes.map(() => [] as Promise<string | undefined>[]);
  const scrape = () => {
    for (const [index, { url }] of processes.entries()) pending[index]?.push(readMetrics(url));
  };
  // The previous incident's effects are gone.
  await expect.poll(msOfAnswers, { interval: 200 }).toBeLessThan(100);
  for (let step = 0; step < twoMinutes; step++) {
    scrape();
    await delay(stepMs);
  }
  await begin?.();
  for (let step = 0; step < steps; step++) {
    await Promise.all([during?.(step), delay(stepMs)]);
    scrape();
  }
  const scrapes: Scrapes = new Map();
  for (const [index, { name }] of processes.entries()) scrapes.set(name, await Promise.all(pending[index] ?? []));
  await end?.();
  return { scrapes, began: twoMinutes - 1, at: twoMinutes + steps - 1 };
}

function expectAlerts({ scrapes, began, at }: Found, fired: string[], may: string[] = []): void {
  expect(checkAlerts(scrapes, { at: began, fired: [], may: [slow] })).toBeUndefined();
  expect(checkAlerts(scrapes, { at, fired, may: [...may, slow] })).toBeUndefined();
}

async function readMetrics(url: string): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(`${url}/metrics`, { headersTimeout: 10_000 });
    const text = await body.text();
    return statusCode === 200 ? text : undefined;
  } catch {
    return undefined;
  }
}

async function msOfAnswers(): Promise<number> {
  const startedAt = performance.now();
  await Promise.all([send("GET", "/v1/user"), pay()]);
  return performance.now() - startedAt;
}

// A steady rate, because a load that waits for each response slows down with them and hides them. But a one-second pause of the
// machine must not cause 15 seconds of slow responses, so in-flight requests are capped at what a slow database needs.
async function keep(everyMs: number, act: () => Promise<unknown>): Promise<void> {
  const open = new Set<Promise<unknown>>();
  while (!load.signal.aborted) {
    if (open.size > slowMs / everyMs) await Promise.race(open);
    const request = act()
      .catch(() => undefined)
      .finally(() => open.delete(request));
    open.add(request);
    await delay(everyMs, undefined, { signal: load.signal }).catch(() => undefined);
  }
  await Promise.all(open);
}

function pay() {
  const [source_id, destination_id] = [client.sourceIds[0], client.walletIds[0]];
  return send("POST", "/v1/routines/book", { name: "Under load", amount: 0.01, source_id, destination_id });
}

async function guess(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const body = { grant_type: "refresh_token", refresh_token: `gwr_${time}` };
    await send("POST", "/v1/oauth/token", body, client.basic);
  }
}

async function send(
  method: "GET" | "POST",
  path: string,
  body?: object,
  authorization = `Bearer ${client.businessToken}`,
) {
  const answer = await request(`${stack.apis[0]?.url}${path}`, {
    dispatcher: agent,
    method,
    headers: { authorization, ...(body && { "content-type": "application/json" }) },
    body: body ? JSON.stringify(body) : null,
  });
  await answer.body.dump();
}
