import { quickestMs } from "../../lib/kit/testing/quickest.ts";
import "./testing/harbor-database.ts";
import { randomUUID } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { signatureHeaders } from "../../lib/contract/webhooks.ts";
import { newId } from "../../lib/kit/ids.ts";
import { sha256 } from "../../lib/kit/secrets.ts";
import { keepListening } from "../../lib/kit/wake-loop.ts";
import { partnerConfig } from "../../lib/partner/config.ts";
import { liveStreams } from "../../lib/partner/live/live-streams.ts";
import { readOnboardingState } from "../../lib/partner/onboarding/onboarding-status.ts";
import { startOnboarding } from "../../lib/partner/onboarding/submit-onboarding.ts";
import { findPersonOf, sealSession } from "../../lib/partner/people/session-cookie.ts";
import { insertSession } from "../../lib/partner/people/storage.ts";
import { partner } from "../../lib/partner/process-partner.ts";
import { readClocks, submitJump } from "../../lib/partner/sandbox/clocks.ts";
import { connectDemoPeople, demoDetailsOf } from "../../lib/partner/sandbox/connect-demo-people.ts";
import { channels, listenOn } from "../../lib/partner/storage/database.ts";
import { findPersonById, insertPerson, type Person } from "../../lib/partner/storage/people.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { createGuards } from "./guards.ts";
import { openHarborSchemas } from "./harbor-schemas.ts";
import { publicLimits } from "./limits.ts";
import type { PublicSandboxOptions } from "./plug.ts";
import { type PublicDemo, startPublicDemo } from "./testing/public-demo.ts";
import { openVisitors, type Visitor } from "./visitors.ts";

vi.mock("../../lib/partner/sandbox/connect-demo-people.ts", async (importActual) => ({
  ...(await importActual<object>()),
  connectDemoPeople: vi.fn(async () => true),
}));

const day = 24 * 60 * 60 * 1000;
const noSpares = { sparesMax: 0 };

let demo: PublicDemo;
let ahead = 0;
async function start({ limits = {} }: PublicSandboxOptions = {}): Promise<void> {
  ahead = 0;
  demo = await startPublicDemo({ limits: { ...noSpares, ...limits }, now: () => Date.now() + ahead });
}
afterEach(() => demo.close());

/** Opens the first page, and returns the sandbox and its cookie. */
async function visit(from?: string): Promise<{ visitor: Visitor; cookie: string }> {
  const { status, text, cookie = "" } = await demo.send("partner", "/", from === undefined ? {} : { from });
  const visitor = demo.visitors.findByClient(text.split(" ")[0] ?? "");
  if (status !== 200 || !visitor) throw new Error(`There is no sandbox: ${status} ${text}`);
  return { visitor, cookie };
}

async function signUp({ partner: harbor }: Visitor, firstName: string): Promise<Person> {
  const id = newId();
  const person = {
    id,
    email: "marta@example.com",
    firstName,
    lastName: "Quay",
    phone: "+14155550123",
    role: "seller" as const,
  };
  await harbor.inTransaction((tx) => insertPerson(tx, { ...person, passwordHash: "none" }, new Date()));
  const found = await findPersonById(harbor.db, id);
  if (!found) throw new Error("The person was inserted just before.");
  return found;
}

async function onboard(visitor: Visitor, firstName: string): Promise<Person> {
  const person = await signUp(visitor, firstName);
  const key = { idempotencyKey: randomUUID(), clientAddress: "127.0.0.1" };
  await startOnboarding(visitor.partner, person, demoDetailsOf(person), key);
  // Through the service's webhook, because nothing here polls it.
  await expect.poll(async () => (await readOnboardingState(visitor.partner, person.id)).kind).toBe("approved");
  return person;
}

async function namesAt({ clientId }: Visitor): Promise<string[]> {
  const { rows } = await servicePool().query<{ name: string }>(
    "select first_name as name from user_intents where client_id = $1",
    [clientId],
  );
  return rows.map(({ name }) => name);
}

describe("each visitor's sandbox", () => {
  beforeEach(() => start());

  test("has its own people, record and webhooks, even for the same phone and email address", async () => {
    const [{ visitor: firstVisitor }, { visitor: secondVisitor }] = [await visit(), await visit()];
    const [marta, maria] = [await onboard(firstVisitor, "Marta"), await onboard(secondVisitor, "Maria")];
    expect([await namesAt(firstVisitor), await namesAt(secondVisitor)]).toEqual([["Marta"], ["Maria"]]);
    expect(await findPersonById(firstVisitor.partner.db, maria.id)).toBeUndefined();
    expect(await findPersonById(secondVisitor.partner.db, marta.id)).toBeUndefined();
    const received = async ({ partner: harbor }: Visitor) =>
      (await harbor.pool.query<{ id: string }>("select resource_id as id from webhook_receipts")).rows.map(
        ({ id }) => id,
      );
    const [ofOne, ofOther] = [await received(firstVisitor), await received(secondVisitor)];
    expect(ofOne.length).toBeGreaterThan(0);
    expect(ofOne.filter((id) => ofOther.includes(id))).toEqual([]);
    const entries = await firstVisitor.partner.pool.query("select from inspector_entries where person_id = $1", [
      marta.id,
    ]);
    const foreign = await secondVisitor.partner.pool.query("select from inspector_entries where person_id = $1", [
      marta.id,
    ]);
    expect([entries.rowCount === 0, foreign.rowCount]).toEqual([false, 0]);
  });

  test("has its own clock and money", async () => {
    const [{ visitor: firstVisitor }, { visitor: secondVisitor }] = [await visit(), await visit()];
    await submitJump(firstVisitor.partner, { seconds: 86_400 });
    expect(await readClocks(firstVisitor.partner)).toEqual({ harborSeconds: 86_400, serviceSeconds: 86_400 });
    expect(await readClocks(secondVisitor.partner)).toEqual({ harborSeconds: 0, serviceSeconds: 0 });
    const balances = "select client_id, balance_cents::int as cents from accounts where type = 'operating'";
    const { rows } = await servicePool().query<{ client_id: string; cents: number }>(balances);
    expect(rows.filter(({ client_id }) => [firstVisitor.clientId, secondVisitor.clientId].includes(client_id))).toEqual(
      [
        { client_id: expect.any(String), cents: 2_500_000 },
        { client_id: expect.any(String), cents: 2_500_000 },
      ],
    );
  });

  test("opens only with its cookie, and another sandbox's sign-in doesn't work in it", async () => {
    const [firstVisitor, secondVisitor] = [await visit(), await visit()];
    expect(firstVisitor.visitor.id).not.toBe(secondVisitor.visitor.id);
    const back = await demo.send("partner", "/dashboard", { headers: { cookie: firstVisitor.cookie } });
    expect(back).toMatchObject({ text: `${firstVisitor.visitor.clientId} on`, cookie: undefined });
    const forged = firstVisitor.cookie.replace(/=.*/, `=${firstVisitor.visitor.id}`);
    const fresh = await demo.send("partner", "/", { headers: { cookie: forged } });
    expect(fresh.text).not.toContain(firstVisitor.visitor.clientId);

    const person = await signUp(firstVisitor.visitor, "Marta");
    const sealed = await sealSession(firstVisitor.visitor.partner, person.id);
    expect(await findPersonOf(firstVisitor.visitor.partner, sealed)).toBeDefined();
    expect(await findPersonOf(secondVisitor.visitor.partner, sealed)).toBeUndefined();
  });

  test("has a cookie that scripts can't read and other sites can't send, for a day; over https only its own host sets it", async () => {
    const { attributes } = await demo.send("partner", "/");
    expect(attributes).toEqual(["Path=/", "Max-Age=86400", "HttpOnly", "SameSite=Lax"]);

    const guards = createGuards({
      visitors: demo.visitors,
      limits: publicLimits,
      isSecure: true,
      within: (_partner, serve) => serve(),
    });
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: "GET", headers: { "sec-fetch-dest": "document" } });
    const response = new ServerResponse(request);
    const admitted = { request, response, path: "/", clientAddress: "203.0.113.7" };
    await new Promise<void>((serve) => guards.partner(admitted, "pages", serve));
    expect(String(response.getHeader("set-cookie"))).toMatch(
      /^__Host-gangway-visitor=[^;]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test("receives only its own notifications", async () => {
    const [{ visitor: firstVisitor }, { visitor: secondVisitor }] = [await visit(), await visit()];
    const announced: string[] = [];
    const listen = ({ partner: harbor }: Visitor, name: string) =>
      harbor.listen?.("harbor_changes", {
        onConnect: () => {},
        onLost: () => {},
        onNotify: (payload) => void announced.push(`${name} ${JSON.parse(payload).topic}`),
      });
    await listen(firstVisitor, "one");
    await listen(secondVisitor, "other");
    await secondVisitor.partner.pool.query("select announce_change('operators', 'routines')");
    await firstVisitor.partner.pool.query("select announce_change('operators', 'user')");
    await expect.poll(() => announced).toEqual(["other routines", "one user"]);
  });

  test("is notified again after all connections of Harbor's database were cut", async () => {
    const { visitor } = await visit();
    const seen: string[] = [];
    const listening = keepListening(
      { name: "test", ...listenOn(visitor.partner, channels.changes) },
      {
        onConnect: () => void seen.push("connected"),
        onLost: () => void seen.push("lost"),
        onNotify: (payload) => void seen.push(JSON.parse(payload).topic),
      },
    );
    await expect.poll(() => seen).toEqual(["connected"]);
    const cut =
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> $1";
    const { rows } = await visitor.partner.pool.query<{ own: number }>("select pg_backend_pid() as own");
    await visitor.partner.pool.query(cut, [rows[0]?.own]);
    await expect.poll(() => seen).toEqual(["connected", "lost", "connected"]);
    await visitor.partner.pool.query("select announce_change('operators', 'user')");
    await expect.poll(() => seen.at(-1)).toBe("user");
    await listening.stop();
  });

  test("is created only for a browser that opens a page", async () => {
    const before = demo.visitors.counts().sandboxes;
    const noPage = { "sec-fetch-dest": "empty" };
    expect((await demo.send("partner", "/", { headers: noPage })).status).toBe(403);
    for (const name of ["sec-purpose", "purpose"]) {
      expect((await demo.send("partner", "/", { headers: { [name]: "prefetch" } })).status).toBe(403);
    }
    expect((await demo.send("partner", "/sign-up", { method: "POST" })).status).toBe(410);
    expect((await demo.send("partner", "/no-page")).status).toBe(404);
    expect((await demo.send("partner", "/_next/static/a.js")).status).toBe(500);
    expect(demo.visitors.counts().sandboxes).toBe(before);
    expect(() => partner()).toThrow("of no visitor");
  });

  test("is created in under a second, and shows its banner", async () => {
    const create = async () => {
      const { text } = await demo.send("partner", "/");
      expect(text).toMatch(/^visitor-[0-9a-f]{24} on$/);
    };
    expect(await quickestMs(1000, create)).toBeLessThan(1000);
  });
});

describe("the routes that the service calls on loopback", () => {
  beforeEach(() => start());

  test("401: refuse a call for one visitor sent to another", async () => {
    const [{ visitor: firstVisitor }, { visitor: secondVisitor }] = [await visit(), await visit()];
    const { rows } = await servicePool().query<{ url: string; customers: string }>(
      `select e.url, c.customers_url as customers from webhook_endpoints e join clients c on c.id = e.client_id
       where c.id = $1`,
      [firstVisitor.clientId],
    );
    const { url = "", customers = "" } = rows[0] ?? {};
    const webhookId = newId();
    const body = JSON.stringify({
      webhook_type: "user_updated",
      webhook_id: webhookId,
      user_id: newId(),
      resource_id: newId(),
    });
    const send = ({ partner: harbor }: Visitor) => {
      const signed = signatureHeaders(
        { webhookId, sentAtSeconds: Math.floor(Date.now() / 1000), body },
        harbor.config.webhookSecrets,
      );
      return fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...signed } });
    };
    expect([(await send(firstVisitor)).status, (await send(secondVisitor)).status]).toEqual([202, 401]);
    const person = await signUp(firstVisitor, "Marta");
    const get = ({ partner: harbor }: Visitor) =>
      fetch(`${customers}/v1/customers/${person.id}`, {
        headers: { authorization: `Bearer ${harbor.config.customerEndpointSecrets[0]}` },
      });
    expect([(await get(firstVisitor)).status, (await get(secondVisitor)).status]).toEqual([200, 401]);
    expect((await fetch(url.replace(firstVisitor.id, "0".repeat(24)), { method: "POST", body })).status).toBe(404);
    expect((await fetch(`${customers}/v1/customers/%E0%A4%A`)).status).toBe(404);
    expect(new URL(url).hostname).toBe("127.0.0.1");
  });

  test("404: aren't served at a public address", async () => {
    const { cookie } = await visit();
    for (const path of ["/webhooks", `/v1/customers/${newId()}`]) {
      expect((await demo.send("partner", path, { headers: { cookie } })).status).toBe(404);
    }
    const ofService = [
      "/",
      "/docs",
      "/openapi.json",
      "/v1/user",
      "/v1/oauth/token",
      "/sandbox/clients",
      "/sandbox/clock",
      "/metrics",
      "/status",
    ];
    for (const path of [...ofService, "/console", "/console/people", "/.well-known/oauth-authorization-server"]) {
      for (const method of ["GET", "POST"]) {
        expect((await demo.send("service", path, { method })).status, `${method} ${path}`).toBe(404);
      }
    }
    for (const path of ["/terms", "/privacy"]) {
      const { status, text } = await demo.send("service", path);
      expect(status).toBe(200);
      expect((await demo.send("service", path, { method: "POST" })).status).toBe(404);
      const files = [...text.matchAll(/(?:href|src)="(\/docs\/[^"#]+)"/g)].map(([, file = ""]) => file);
      expect(files).toHaveLength(4);
      for (const file of files) expect((await demo.send("service", file)).status, file).toBe(200);
    }
    expect((await demo.send("service", "/v1/user", { headers: { host: "127.0.0.1:4000" } })).status).toBe(421);
    for (const id of [newId(), newId().toUpperCase()]) {
      expect((await demo.send("service", `/login/oauth/authorize/${id}`)).status).toBe(410);
    }
    for (const path of ["", `/${"-".repeat(36)}`]) {
      expect((await demo.send("service", `/login/oauth/authorize${path}`)).text).toBe("a page on");
    }
  });
});

describe("limits", () => {
  test("429: an address or IPv6 network has used up its sandboxes for the hour", async () => {
    await start({ limits: { sandboxesOfAddressMax: 2 } });
    for (const from of ["203.0.113.1", "203.0.113.1", "2001:db8::1", "2001:db8::2"]) await visit(from);
    for (const from of ["203.0.113.1", "2001:db8::3"]) {
      const refused = await demo.send("partner", "/", { from });
      expect(refused).toMatchObject({ status: 429, cookie: undefined });
      expect(refused.text).toContain("<h1>Too many sandboxes from your network</h1>");
    }
    await visit("203.0.113.2");
  });

  test("503: every sandbox is taken, even under concurrent arrivals; current visitors stay", async () => {
    await start({ limits: { sandboxesMax: 3 } });
    const { cookie } = await visit();
    const crowd = await Promise.all(Array.from({ length: 6 }, () => demo.send("partner", "/")));
    expect(crowd.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503, 503, 503]);
    const spanish = await demo.send("partner", "/", { headers: { "accept-language": "es" } });
    expect(spanish.text).toContain("<h1>Todos los entornos de pruebas están ocupados</h1>");
    expect((await demo.send("partner", "/", { headers: { cookie } })).status).toBe(200);
  });

  test("503: the queue for sandboxes is full; visitors already in it get theirs", async () => {
    await start({ limits: { creationsMax: 1, creationsWaitingMax: 1, sandboxesOfAddressMax: 40 } });
    const crowd = await Promise.all(Array.from({ length: 40 }, () => demo.send("partner", "/")));
    const [welcomed, refused] = [200, 503].map((status) => crowd.filter((response) => response.status === status));
    expect(welcomed?.length).toBeGreaterThanOrEqual(2);
    expect(refused).toHaveLength(crowd.length - (welcomed?.length ?? 0));
    expect(refused?.[0]?.text).toContain("<h1>One moment, please</h1>");
    expect(demo.visitors.counts().sandboxes).toBe(welcomed?.length);
  });

  test("429: limits one address at the authorization pages, but not others or files", async () => {
    await start({ limits: { pagesOfAddressMax: 2 } });
    const get = (from: string, path = "/login/oauth/authorize") => demo.send("service", path, { from });
    const statuses: number[] = [];
    for (const from of ["203.0.113.1", "2001:db8::1", "203.0.113.1", "2001:db8::2", "203.0.113.1", "2001:db8::3"]) {
      statuses.push((await get(from)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await get("203.0.113.2")).status).toBe(200);
    expect((await get("203.0.113.1", "/_next/static/a.js")).status).toBe(200);
  });

  test("429: one visitor is too fast, without delaying others", async () => {
    await start({ limits: { requestsInTenSecondsMax: 5 } });
    const [fast, otherVisitor] = [await visit(), await visit()];
    const get = (cookie: string) => demo.send("partner", "/", { headers: { cookie } });
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => get(fast.cookie)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    expect((await get(otherVisitor.cookie)).status).toBe(200);
  });

  test.each([
    ["requests", { requestsMax: 2 }, {}],
    ["bytes received", { receivedBytesMax: 1000 }, { "content-length": "1001" }],
    ["bytes received, in a body of unknown length", { receivedBytesMax: 1000 }, { "transfer-encoding": "chunked" }],
  ])("a sandbox that has used up its %s is deleted", async (_what, limits, headers) => {
    await start({ limits });
    const { visitor, cookie } = await visit();
    await demo.send("partner", "/", { headers: { cookie } });
    const refused = await demo.send("partner", "/", { headers: { cookie, ...headers } });
    expect(refused.text).toContain("Your sandbox reached its limit");
    expect(demo.visitors.findById(visitor.id)).toBeUndefined();
    await expect.poll(() => namesAtAll(visitor)).toEqual([]);
  });

  test("a sandbox that has filled its tables is deleted at the next check", async () => {
    await start({ limits: { storedBytesMax: 4 * 1024 * 1024 } });
    const [large, small] = [await visit(), await visit()];
    await large.visitor.partner.pool.query(
      "update people set first_name = (select string_agg(random()::text, '') from generate_series(1, 200000))",
    );
    for (const { visitor } of [large, small]) demo.visitors.wake(visitor, true);
    await demo.visitors.sweep();
    expect([large, small].map(({ visitor }) => demo.visitors.findById(visitor.id) === visitor)).toEqual([false, true]);
  });
});

/** A visitor's remaining schemas and clients. */
async function namesAtAll({ schema, clientId }: Visitor): Promise<string[]> {
  const client = new pg.Client({ connectionString: process.env["PARTNER_DATABASE_URL"] });
  await client.connect();
  const schemas = await client.query<{ name: string }>("select nspname as name from pg_namespace where nspname = $1", [
    schema,
  ]);
  await client.end();
  const clients = await servicePool().query<{ name: string }>("select id as name from clients where id = $1", [
    clientId,
  ]);
  return [...schemas.rows, ...clients.rows].map(({ name }) => name);
}

/** The number of rows in each of the service's tables. */
async function countRows(): Promise<Record<string, number>> {
  const { rows } = await servicePool().query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname not in ('sleeping_workers', 'reconciliations')`,
  );
  const counts = rows.map(async ({ name }) => {
    const counted = await servicePool().query<{ count: number }>(`select count(*)::int as count from ${name}`);
    return [name, counted.rows[0]?.count ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

describe("the end of a sandbox", () => {
  test("after a day all of its data is gone, and its cookie opens a new one", async () => {
    await start();
    const before = await countRows();
    const { visitor, cookie } = await visit();
    await onboard(visitor, "Marta");
    await submitJump(visitor.partner, { seconds: 60 });
    ahead = day - 60_000;
    const later = await visit();
    await demo.visitors.sweep();
    expect((await demo.send("partner", "/", { headers: { cookie } })).text).toContain(visitor.clientId);
    expect((await countRows())["clients"]).toBe((before["clients"] ?? 0) + 2);

    ahead = day + 60_000;
    const fresh = await demo.send("partner", "/dashboard", { headers: { cookie } });
    expect(fresh.text).not.toContain(visitor.clientId);
    expect(fresh.cookie).toBeDefined();
    await demo.visitors.sweep();
    expect(await namesAtAll(visitor)).toEqual([]);
    expect(await namesAtAll(later.visitor)).toHaveLength(2);

    ahead = 3 * day;
    await demo.visitors.sweep();
    expect(demo.visitors.counts()).toEqual({ sandboxes: 0, workers: 0, spares: 0 });
    expect(await countRows()).toEqual(before);
  });

  test("the live streams of its pages end too, and no new ones open", async () => {
    await start();
    const { visitor } = await visit();
    const person = await signUp(visitor, "Marta");
    const sessionIdHash = sha256("a session");
    await insertSession(visitor.partner.db, { idHash: sessionIdHash, personId: person.id, lifetimeSeconds: 3600 });
    const opened = liveStreams(visitor.partner).open({ person, sessionIdHash });
    if (opened.kind !== "open") throw new Error(`The stream was not opened: ${opened.kind}.`);
    const isOver = opened.body.pipeTo(new WritableStream()).then(() => true);
    ahead = day + 60_000;
    await demo.visitors.sweep();
    expect(await isOver).toBe(true);
    expect(liveStreams(visitor.partner).open({ person, sessionIdHash })).toEqual({ kind: "stopping" });
  });

  test("a failed deletion is retried at the next check, and the cookie opens nothing until then", async () => {
    await start();
    const { visitor, cookie } = await visit();
    const { pool } = visitor.partner;
    await pool.query(`
      create function refuse() returns event_trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create event trigger no_drop on ddl_command_start when tag in ('DROP SCHEMA') execute function refuse()`);
    ahead = day + 60_000;
    await demo.visitors.sweep();
    expect(await namesAtAll(visitor)).toHaveLength(2);
    expect((await demo.send("partner", "/", { headers: { cookie } })).text).not.toContain(visitor.clientId);
    await pool.query("drop event trigger no_drop");
    await demo.visitors.sweep();
    expect(await namesAtAll(visitor)).toEqual([]);
  });

  test("a spare is replaced after a day, before its people's tokens expire", async () => {
    await start({ limits: { sparesMax: 1 } });
    await demo.visitors.sweep();
    await expect.poll(() => demo.visitors.counts().spares).toBe(1);
    ahead = 10 * day;
    await demo.visitors.sweep();
    const { visitor } = await visit();
    expect(Date.now() + ahead - visitor.madeAtMs).toBeLessThan(day);
  });

  test("a sandbox whose visitor left before it was ready is deleted", async () => {
    await start();
    const { welcome } = demo.visitors;
    const socket = connect(demo.port, "127.0.0.1");
    const leaving = vi.spyOn(demo.visitors, "welcome").mockImplementation((address) => {
      socket.destroy();
      return welcome(address);
    });
    socket.write("GET / HTTP/1.1\r\nhost: demo.localhost\r\naccept: text/html\r\n");
    socket.write("sec-fetch-dest: document\r\nx-forwarded-for: 203.0.113.9\r\n\r\n");
    await expect.poll(() => leaving.mock.calls).toHaveLength(1);
    const welcomed = await leaving.mock.results[0]?.value;
    if (welcomed?.kind !== "welcome") throw new Error("The visitor got no sandbox.");
    await expect.poll(() => demo.visitors.counts().sandboxes).toBe(0);
    await expect.poll(() => namesAtAll(welcomed.visitor)).toEqual([]);
  });

  test("an idle sandbox has no worker until something happens in it", async () => {
    await start();
    const { visitor, cookie } = await visit();
    expect(demo.visitors.counts()).toMatchObject({ sandboxes: 1, workers: 0 });
    await demo.send("partner", "/sign-up", { method: "POST", headers: { cookie } });
    expect(demo.visitors.counts().workers).toBe(1);
    const person = await signUp(visitor, "Marta");
    ahead = 91_000;
    await demo.visitors.sweep();
    expect(demo.visitors.counts()).toMatchObject({ sandboxes: 1, workers: 0 });
    const key = { idempotencyKey: randomUUID(), clientAddress: "127.0.0.1" };
    await startOnboarding(visitor.partner, person, demoDetailsOf(person), key);
    await expect.poll(async () => (await readOnboardingState(visitor.partner, person.id)).kind).toBe("approved");
    expect(demo.visitors.counts().workers).toBe(1);
  });
});

test("a process that stops starts no worker for a late webhook or response", async () => {
  await start();
  const { visitor, cookie } = await visit();
  await demo.send("partner", "/sign-up", { method: "POST", headers: { cookie } });
  expect(demo.visitors.counts().workers).toBe(1);
  await demo.visitors.stop();
  for (const isUse of [true, false]) demo.visitors.wake(visitor, isUse);
  expect(demo.visitors.counts().workers).toBe(0);
});

test("a sandbox that can't be made whole leaves nothing behind", async () => {
  await start();
  const clientsOfVisitors = async () => {
    const { rows } = await servicePool().query<{ id: string }>("select id from clients where id like 'visitor-%'");
    return rows.map(({ id }) => id);
  };
  const before = await clientsOfVisitors();
  const clientsAtRemoval: string[] = [];
  const visitors = openVisitors({
    config: partnerConfig(),
    schemas: {
      create: async () => Promise.reject(new Error("There are no tables.")),
      drop: async () => void clientsAtRemoval.push(...(await clientsOfVisitors())),
      bytesOf: async () => 0,
      countConnections: () => 0,
      stop: async () => {},
    },
    limits: { ...publicLimits, ...noSpares },
    now: Date.now,
    apiUrl: "http://127.0.0.1:1",
    hooksUrl: (id) => `http://127.0.0.1:1/visitors/${id}`,
    pagesAt: undefined,
  });
  await expect(visitors.welcome("203.0.113.7")).rejects.toThrow("There are no tables.");
  expect(clientsAtRemoval).toHaveLength(before.length + 1);
  expect(await clientsOfVisitors()).toEqual(before);
});

test("a spare's demo people are connected at a later check if they couldn't be listed", async () => {
  await start();
  const schemas = openHarborSchemas(partnerConfig().databaseDirectUrl);
  const visitors = openVisitors({
    config: partnerConfig(),
    schemas,
    limits: { ...publicLimits, sparesMax: 1 },
    now: Date.now,
    apiUrl: "http://127.0.0.1:1",
    hooksUrl: (id) => `http://127.0.0.1:1/visitors/${id}`,
    pagesAt: "http://127.0.0.1:1",
  });
  const connecting = vi.mocked(connectDemoPeople).mockRejectedValueOnce(new Error("The people can't be listed."));
  await expect
    .poll(async () => {
      await visitors.sweep();
      return connecting.mock.calls.length;
    })
    .toBe(2);
  expect(new Set(connecting.mock.calls.map(([harbor]) => harbor)).size).toBe(1);
  await visitors.stop();
  await schemas.stop();
});

test("200 concurrent visitors each get a sandbox over a few shared connections", async () => {
  await start({ limits: { sandboxesOfAddressMax: 200, idleMs: day } });
  const arrived = await Promise.all(Array.from({ length: 200 }, () => demo.send("partner", "/")));
  expect(new Set(arrived.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(arrived.map(({ text }) => text)).size).toBe(200);
  const revisits = await Promise.all(
    arrived.map(({ cookie = "" }) => demo.send("partner", "/dashboard", { headers: { cookie } })),
  );
  expect(revisits.map(({ text }) => text)).toEqual(arrived.map(({ text }) => text));
  expect(demo.visitors.counts()).toMatchObject({ sandboxes: 200, workers: 0 });
  await Promise.all(
    arrived.map(({ cookie = "" }) => demo.send("partner", "/sign-up", { method: "POST", headers: { cookie } })),
  );
  expect(demo.visitors.counts()).toMatchObject({ sandboxes: 200, workers: 200 });
  expect(demo.countConnections()).toBeLessThan(50);
});
