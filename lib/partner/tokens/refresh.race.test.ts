import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { createLocks } from "../storage/database.ts";
import { storeTokenPair } from "../storage/token-pairs.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { userRecordOf } from "../testing/records.ts";

const run = promisify(execFile);
let service: FakeService;
let serviceUserId: string;
let validAccessToken: string;
let issued: number;
let callersToReject: number;
let allArrived: PromiseWithResolvers<void>;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  serviceUserId = newId();
  issued = 0;
  validAccessToken = "none";
  service.requests.length = 0;
  callersToReject = 1;
  allArrived = Promise.withResolvers();
  service.answer("GET /v1/user", async ({ headers }) => {
    if (headers.authorization === `Bearer ${validAccessToken}`) {
      return { status: 200, body: userRecordOf({ id: serviceUserId }) };
    }
    // Every caller has sent its token before the first learns that it expired.
    callersToReject--;
    if (callersToReject === 0) allArrived.resolve();
    await allArrived.promise;
    return refused(401, "token_expired");
  });
  service.answer("POST /v1/oauth/token", () => {
    issued++;
    validAccessToken = `access-${issued}`;
    const body = { access_token: validAccessToken, token_type: "Bearer", expires_in: 7200 };
    return { status: 200, body: { ...body, refresh_token: `refresh-${issued}` } };
  });
  await storeTokenPair(partner().config.keyring, partner().db, serviceUserId, {
    access_token: "access-0",
    expires_in: 7200,
    refresh_token: "refresh-0",
  });
});

async function startCallers(count: number): Promise<string[]> {
  const script = "lib/partner/testing/process-of-callers.ts";
  const { stdout } = await run(process.execPath, ["scripts/run.mjs", script, serviceUserId, String(count)], {
    env: process.env,
  });
  return JSON.parse(stdout);
}

// However many callers and processes find the token expired, the service sees one refresh.
test("refreshes once when fifty callers in each of two processes have an expired token", async () => {
  callersToReject = 100;
  const [first, second] = await Promise.all([startCallers(50), startCallers(50)]);
  expect([...first, ...second]).toEqual(Array.from({ length: 100 }, () => "ok"));
  // Each with the old token and with the new one.
  expect(service.requestsOf("GET /v1/user")).toHaveLength(200);
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(1);
});

test("uses one connection for a refresh, no matter how many callers wait", async () => {
  callersToReject = 50;
  const connections: number[] = [];
  service.answer("POST /v1/oauth/token", async () => {
    const { rows } = await partner().pool.query<{ connections: number }>(
      "select count(*)::int as connections from pg_locks join pg_database on pg_database.oid = database where locktype = 'advisory' and datname = current_database()",
    );
    connections.push(...rows.map((row) => row.connections));
    return refused(503, "temporarily_unavailable");
  });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => partner().tokens.call(serviceUserId, partner().client.readUser)),
  );
  expect(new Set(answers.map((answer) => answer.kind))).toEqual(new Set(["refused"]));
  expect(new Set(connections)).toEqual(new Set([1]));
});

test("lets the next caller refresh when the refreshing process is killed", async () => {
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const holder = partner()
    .withRefreshLock(serviceUserId, () => new Promise<void>(() => hold()))
    .catch(() => {});
  await isHeld;
  const waiting = partner().tokens.call(serviceUserId, partner().client.readUser);
  await waitForLockWaiter();
  // A killed process and a cut connection are the same to PostgreSQL.
  await partner().pool.query(
    "select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database where locktype = 'advisory' and granted and datname = current_database()",
  );
  expect(await waiting).toMatchObject({ kind: "ok" });
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(1);
  void holder;
});

test("passes a hanging lock holder after the timeout", async () => {
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  const holder = partner().withRefreshLock(serviceUserId, () => {
    hold();
    return isOver;
  });
  await isHeld;
  expect(await partner().withRefreshLock(serviceUserId, async () => "passed", { timeoutMs: 50 })).toBe("passed");
  letGo();
  await holder;
});

test("refreshes without the lock when hanging refreshes hold all connections", async () => {
  const { withRefreshLock } = createLocks(partner().config.databaseDirectUrl);
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  let held = 0;
  const hang = () => {
    held++;
    return isOver;
  };
  const holders = Array.from({ length: 10 }, () => withRefreshLock(newId(), hang));
  await expect.poll(() => held).toBe(10);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const refreshed = withRefreshLock(newId(), async () => "passed");
  vi.advanceTimersByTime(5000);
  vi.useRealTimers();
  try {
    expect(await refreshed).toBe("passed");
  } finally {
    letGo();
    await Promise.all(holders);
  }
});

test("refreshes for two users at the same time", async () => {
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  const otherId = partner().withRefreshLock(newId(), () => {
    hold();
    return isOver;
  });
  await isHeld;
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
  letGo();
  await otherId;
});

test("continues with the old refresh token when the new pair couldn't be stored", async () => {
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  // As if the process had died between the response and the write.
  await storeTokenPair(partner().config.keyring, partner().db, serviceUserId, {
    access_token: "access-0",
    expires_in: 7200,
    refresh_token: "refresh-0",
  });
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
  expect((await partner().tokenStore.read(serviceUserId))?.accessToken).toBe("access-2");
  expect(service.requestsOf("POST /v1/oauth/token").at(-1)?.body).toMatchObject({ refresh_token: "refresh-0" });
});

async function waitForLockWaiter(): Promise<void> {
  for (;;) {
    const { rows } = await partner().pool.query(
      "select 1 from pg_locks join pg_database on pg_database.oid = database where locktype = 'advisory' and not granted and datname = current_database()",
    );
    if (rows.length > 0) return;
  }
}
