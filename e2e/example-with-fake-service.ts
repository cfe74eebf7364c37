import { linkSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { type APIRequestContext, expect } from "@playwright/test";
import { signatureHeaders } from "../lib/contract/webhooks.ts";
import { startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { keyIn, newDetails, officePassword, type ShopContext, statusesIn } from "./example-shop.ts";
import { waitRealTime } from "./harbor.ts";

// What an example does about answers and failures that the service's sandbox can't produce.

type Answer = [status: number, body: object];

/** Issues tokens to the user whose id is the code. Refuses each refresh, and answers each payment with 503. */
export async function startFakeService() {
  const server = await startFakeServer();
  const accepted = new Set<string>();
  const service = {
    ...server,
    /** What the list shows. */
    routines: [] as object[],
    /** Refreshes are refused after this. */
    beforeRefusal: Promise.resolve(),
    revoke: () => accepted.clear(),
    called: (call: string) => server.requests.filter(({ method, path }) => `${method} ${path}`.startsWith(call)).length,
  };
  let metadata: unknown;

  async function answer(call: string, token: string, body: Record<string, unknown>): Promise<Answer> {
    switch (call) {
      case "POST /v1/partner/identity/verification":
        return [200, { token: "session" }];
      case "POST /v1/user_intent":
        metadata = body["metadata"];
        return [200, { id: "intent", status: "approved" }];
      case "GET /v1/user_intent/intent":
        return [200, { id: "intent", status: "approved", metadata }];
      case "POST /v1/oauth/revoke":
        return [200, {}];
      case "POST /v1/oauth/token": {
        if (body["grant_type"] === "refresh_token") {
          await service.beforeRefusal;
          return [400, { error: "invalid_grant" }];
        }
        const access_token = `${body["code"]}.${server.requests.length}`;
        accepted.add(access_token);
        return [200, { access_token, refresh_token: "refresh", expires_in: 7200 }];
      }
    }
    if (!accepted.has(token)) return [401, { reason: "invalid_token" }];
    const [id] = token.split(".");
    switch (call) {
      case "GET /v1/user":
        return [200, { id, status: "approved", metadata }];
      case "GET /v1/accounts":
        return [200, { accounts: [{ id: `account-${id}`, name: "Main", available_balance: 10 }] }];
      case "GET /v1/routines":
        return [200, { routines: service.routines, next: null }];
      default:
        return call.startsWith("GET") ? [200, { id: "other", name: "Other", status: "active" }] : [503, {}];
    }
  }

  server.answer(async ({ method, path, headers, body }, response) => {
    const isJson = headers["content-type"] === "application/json";
    const token = String(headers.authorization).replace("Bearer ", "");
    const [status, sent] = await answer(`${method} ${path.split("?")[0]}`, token, isJson ? JSON.parse(body) : {});
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(sent));
  });
  return service;
}

type FakeService = Awaited<ReturnType<typeof startFakeService>>;
type ShopAtFakeService = {
  context: ShopContext;
  seller: APIRequestContext;
  businessUserId: string;
  /** The file or folder with the shop's data. */
  data: string;
  /** Where a change is written first, if this test can block that. */
  draft: string | undefined;
  /** The file that each change replaces, if any. */
  replaced: string | undefined;
};
type Step = [title: string, run: () => Promise<void>];

/** Restarts the shop with a fake service. Returns steps to run in order. */
export function stepsAtFakeService(shop: ShopAtFakeService, service: FakeService): Step[] {
  const { seller, businessUserId, data, draft, replaced } = shop;
  const { shopUrl, restart, webhookSecret } = shop.context;
  const office = shop.context.office.request;
  const booked = () => service.called("POST /v1/routines/book");

  async function authorize(person: APIRequestContext, userId: string): Promise<void> {
    const visit = await person.post(`${shopUrl}/authorize`, { maxRedirects: 0 });
    const state = new URL(String(visit.headers()["location"])).searchParams.get("state");
    const query = new URLSearchParams({ state: String(state), iss: service.url, code: userId });
    const back = await person.get(`${shopUrl}/callback?${query}`);
    expect(back.status(), await back.text()).toBe(200);
  }

  /** Returns once the jobs have settled the payments and then read both people. */
  async function runJobs(): Promise<void> {
    const count = service.called("GET /v1/accounts");
    await restart({ base_url: service.url, auth_url: service.url, data, read_people_after_minutes: 0 });
    await expect(() => expect(service.called("GET /v1/accounts")).toBeGreaterThanOrEqual(count + 2)).toPass({
      intervals: [50],
    });
  }

  async function readPayments(): Promise<string> {
    const answer = await office.get(`${shopUrl}/payments`);
    expect(answer.status()).toBe(200);
    return answer.text();
  }

  async function pay() {
    const form = await readPayments();
    const [, customer_id = ""] = /<option value="?(\w+)/.exec(form) ?? [];
    const key = keyIn(form);
    return { key, answer: await office.post(`${shopUrl}/payments`, { form: { key, customer_id, amount: "10.00" } }) };
  }

  async function sendWebhook(webhook_id: string): Promise<number> {
    const body = JSON.stringify({ webhook_id, webhook_type: "routine_updated", user_id: "u", resource_id: webhook_id });
    const signed = { webhookId: webhook_id, sentAtSeconds: Math.floor(Date.now() / 1000), body };
    const headers = signatureHeaders(signed, [webhookSecret]);
    return (await fetch(`${shopUrl}/webhooks`, { method: "POST", headers, body })).status;
  }

  async function start(): Promise<void> {
    await restart({ base_url: service.url, auth_url: service.url, data });
    await office.post(`${shopUrl}/sign-in`, { form: { password: officePassword } });
    const key = keyIn(await (await seller.get(shopUrl)).text());
    await seller.post(`${shopUrl}/sign-up`, { form: { ...newDetails(), key } });
    await authorize(seller, "seller");
    await authorize(office, businessUserId);
  }

  async function payWithoutConnection(): Promise<void> {
    await office.post(`${shopUrl}/disconnect`);
    const { answer } = await pay();
    expect(answer.status()).toBe(403);
    await authorize(office, businessUserId);
    await runJobs();
    expect(booked()).toBe(0);
  }

  let key = "";
  async function payWhileConnectionEnds(): Promise<void> {
    service.revoke();
    const { answer, ...paid } = await pay();
    key = paid.key;
    const html = await answer.text();
    expect(html).toContain("This page may be out of date");
    expect(statusesIn(html)).toEqual(["unknown"]);
    await authorize(seller, "seller");
    await authorize(office, businessUserId);
    const count = booked();
    await runJobs();
    expect(booked()).toBeGreaterThan(count);
  }

  async function listPayment(): Promise<void> {
    const name = `Payout ${key}`;
    const count = booked();
    for (const status of [null, {}, "unknown"]) {
      service.routines = [{ id: "routine", name, status }];
      await runJobs();
    }
    service.routines = [];
    await runJobs();
    expect(booked()).toBe(count);
  }

  async function endPayment(): Promise<void> {
    for (const status of ["completed_pending_review", "completed"]) {
      service.routines = [{ id: "routine", name: `Payout ${key}`, status }];
      expect(statusesIn(await readPayments())).toEqual([status]);
    }
  }

  async function authorizeDuringRefresh(): Promise<void> {
    let refuse = () => {};
    service.beforeRefusal = new Promise((resolve) => {
      refuse = resolve;
    });
    service.revoke();
    const count = service.called("POST /v1/oauth/token");
    const viewed = office.get(`${shopUrl}/accounts`);
    await expect(() => expect(service.called("POST /v1/oauth/token")).toBeGreaterThan(count)).toPass({
      intervals: [50],
    });
    const authorized = authorize(office, businessUserId);
    // Long enough to store the new tokens, if nothing prevents it.
    await waitRealTime(500);
    refuse();
    await Promise.all([viewed, authorized]);
    expect((await office.get(`${shopUrl}/accounts`)).status()).toBe(200);
  }

  async function failToWrite(): Promise<void> {
    if (!draft) return;
    mkdirSync(draft);
    for (const _ of ["sent", "sent again"]) expect(await sendWebhook("unwritten")).toBeGreaterThanOrEqual(500);
    rmdirSync(draft);
    for (const id of ["unwritten", "written"]) {
      expect(await sendWebhook(id)).toBe(204);
      await expect(() => expect(service.called(`GET /v1/routines/${id}`)).toBeGreaterThan(0)).toPass({
        intervals: [50],
      });
    }
    expect(service.called("GET /v1/routines/unwritten")).toBe(1);
  }

  async function replaceFile(): Promise<void> {
    if (!replaced) return;
    const before = readFileSync(replaced);
    linkSync(replaced, `${replaced}.old`);
    expect(await sendWebhook("another")).toBe(204);
    expect(readFileSync(`${replaced}.old`)).toEqual(before);
    expect(readFileSync(replaced)).not.toEqual(before);
  }

  async function keepDataPrivate(): Promise<void> {
    expect(statSync(data).mode & 0o077).toBe(0);
  }

  async function refuseLengths(): Promise<void> {
    for (const length of ["-1", "abc"]) {
      const socket = connect(Number(new URL(shopUrl).port), "localhost");
      socket.write(
        `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1\.[01] 4/);
    }
  }

  return [
    ["a start with a fake service", start],
    ["a payment without a connection isn't made", payWithoutConnection],
    ["a payment while the connection ends is listed", payWhileConnectionEnds],
    ["a listed payment isn't sent again", listPayment],
    ["only a final status ends a payment", endPayment],
    ["tokens issued during a refused refresh are kept", authorizeDuringRefresh],
    ["what wasn't written isn't kept in memory", failToWrite],
    ["a change replaces the file", replaceFile],
    ["only this user can read the data", keepDataPrivate],
    ["a malformed length is refused", refuseLengths],
  ];
}
