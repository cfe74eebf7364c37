import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { type APIRequestContext, expect, type Page } from "@playwright/test";
import { limits } from "../lib/contract/limits.ts";
import { userList } from "../lib/contract/sandbox.ts";
import { eventPage } from "../lib/contract/sandbox-events.ts";
import { newPhone } from "../lib/kit/testing/phones.ts";
import { type CallSandbox, lastEvent, waitUntilDelivered, waitUntilWithheld } from "./drill-report.ts";
import { waitRealTime } from "./harbor.ts";
import { type SentPage, submitByHttp } from "./http-forms.ts";

// The shop of each example in examples/: its pages have the same URLs, forms and words in every language.

export type ShopVisitor = { request: APIRequestContext };
export type ShopContext = {
  shopUrl: string;
  seller: ShopVisitor & { page: Page };
  office: ShopVisitor;
  callSandbox: CallSandbox;
  webhookSecret: string;
  /** Restarts the shop with its data and changed settings. */
  restart: (changed: Record<string, unknown>) => Promise<void>;
};
type ManualStep = (context: ShopContext, answers: Record<string, unknown>) => Promise<void>;

export const officePassword = "a password of the office";
const settlementSeconds = 2;

/** By drill id: one entry per manual step. */
export const drillsAtShop: Record<string, ManualStep[]> = {
  "ordinary-day": [
    async (context) => {
      await signUpInBrowser(context);
      await authorizeByHttp(context, context.office);
    },
    pay,
  ],

  // Tokens
  "access-token-ends": [viewAccounts],
  "access-token-ends-twice": [viewAccounts, viewAccounts],
  "token-refused": [viewAccounts],
  "tabs-refresh-together": [
    async (context) => {
      await Promise.all([viewAccounts(context), readPage(context, context.seller, "/accounts?tab=2")]);
    },
  ],
  "new-token-everywhere": [
    viewAccounts,
    async (context) => {
      await waitRealTime(limits.checkOverlapMs);
      await viewAccounts(context);
    },
  ],
  "week-passes": [
    async ({ callSandbox, restart }) => {
      const after = await lastEvent(callSandbox);
      await restart({ renew_after_days: 0 });
      await expect(async () => {
        const { events } = eventPage.parse(await callSandbox("GET", `/sandbox/events?after=${after}&kind=call`));
        const refreshed = events.flatMap((event) => (event.kind === "call" && event.facts.issued?.user_id) || []);
        expect(new Set(refreshed).size, "the seller and the business").toBe(2);
      }).toPass({ intervals: [100] });
      await restart({});
    },
  ],
  "refresh-token-ends": [
    async () => undefined,
    async (context) => {
      const ended = await readPage(context, context.seller, "/accounts", 403);
      expect(ended).toContain("The connection has ended");
    },
    async (context) => {
      for (const visitor of [context.seller, context.office]) await authorizeByHttp(context, visitor);
    },
  ],
  "token-endpoint-down": [
    (context) => readPage(context, context.seller, "/accounts", 503).then(() => undefined),
    async (context) => {
      await waitRealTime(retryAfterMs);
      await viewAccounts(context);
    },
  ],

  // Authorization
  "code-comes-twice": [
    async (context) => {
      const { shopUrl, seller } = context;
      const { page } = seller;
      await disconnect(context);
      await page.goto(shopUrl);
      await page.getByRole("button", { name: "Authorize the shop" }).click();
      const cameBack = page.waitForRequest((request) => request.url().startsWith(`${shopUrl}/callback?`));
      await page.getByRole("button", { name: "Authorize" }).click();
      const address = (await cameBack).url();
      await expect(page.getByRole("heading", { name: "Accounts" })).toBeVisible();
      await page.goto(address);
      await expect(page.getByText("We can't match this to a request from you")).toBeVisible();
      await page.goto(`${shopUrl}/accounts`);
      await expect(page.getByRole("heading", { name: "Accounts" })).toBeVisible();
    },
  ],
  "state-of-another": [(context) => authorizeTwice(context, 400)],
  "issuer-of-another": [(context) => authorizeTwice(context, 400)],
  "code-of-another": [(context) => authorizeTwice(context, 403)],
  "person-says-no": [cancelVisit],
  "two-visits": [
    async (context) => {
      await disconnect(context);
      const [first, second] = [
        await startAuthorizing(context, context.seller),
        await startAuthorizing(context, context.seller),
      ];
      for (const visit of [second, first]) await pressAuthorize(context, context.seller, visit);
    },
  ],
  "page-left-open": [
    async (context) => {
      await viewAccounts(context);
      await waitRealTime(limits.checkOverlapMs + 500);
    },
    cancelVisit,
  ],

  // Customer endpoint
  "stranger-asks": [(context) => startAuthorizing(context, context.seller).then(() => undefined)],
  "customer-endpoint-again": [
    async (context) => {
      for (let round = 1; round <= 3; round++) await cancelVisit(context);
    },
  ],

  // Webhooks
  "webhook-comes-twice": [pay],
  "webhook-sent-again": [pay],
  "webhook-changed": [pay],
  "webhook-reformatted": [pay],
  "webhook-old": [pay],
  "webhook-of-new-type": [pay],
  "webhook-lost": [pay],
  "webhooks-withheld": [
    async (context) => {
      await pay(context);
      await waitUntilWithheld(context.callSandbox);
    },
  ],
  "webhooks-out-of-order": [pay],
  "secret-rotates": [
    ({ restart, webhookSecret }, { webhook_secret }) =>
      restart({ webhook_secret, previous_webhook_secret: webhookSecret }),
    async (context) => {
      await pay(context);
      await waitUntilDelivered(context.callSandbox);
    },
    pay,
  ],

  // Money
  "payment-fails": [(context) => pay(context, {}, { amount: "10.11", outcome: "failed" })],
  "payment-sent-again": [pay],
  "payment-unanswered": [pay],
  "payment-without-answer-sent-again": [pay],
  "asked-to-wait": [viewAccounts, viewAccounts],
  "service-fails": [
    async (context) => {
      // A payment that stays open is looked up in the list.
      await pay(context, {}, { amount: "10.12", outcome: "active" });
      expect(await readPage(context, context.office, "/payments")).toContain("This page may be out of date");
      const { transfers } = (await context.callSandbox("GET", "/sandbox/transfers")) as {
        transfers: { id: string; status: string }[];
      };
      for (const { id } of transfers.filter(({ status }) => status === "pending")) {
        await context.callSandbox("POST", `/sandbox/transfers/${id}/status`, { status: "processed" });
      }
    },
  ],

  // People
  "person-disconnects": [
    async (context) => {
      await disconnect(context);
      expect(await readPage(context, context.seller, "/")).toContain("Your status: unknown");
      await readPage(context, context.seller, "/accounts", 403);
      await authorizeByHttp(context, context.seller);
    },
  ],
  "intent-unanswered": [(context) => signUpByHttp(context)],
  "sensitive-note": [(context) => signUpByHttp(context, { address1: "123-45-6789" })],
};

// Slightly longer than the service's retry-after.
const retryAfterMs = 1100;

/** Starts the shop with these settings, and returns a stop function. Throws with the shop's output if it exits. */
export async function startShop(
  { words, cwd, settingsFile }: { words: string[]; cwd: string; settingsFile: string },
  settings: object,
): Promise<() => Promise<void>> {
  writeFileSync(settingsFile, JSON.stringify(settings));
  const [program = "", ...parameters] = [...words, settingsFile];
  const child = spawn(program, parameters, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const opened = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes("The shop is open")) resolve();
      });
    }
    child.once("error", reject);
    void ended.then(() => reject(new Error(`The shop exited: ${output}`)));
  });
  await opened;
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}

/** Resolves once the shop closes a connection whose request never ends. */
export async function stallRequest({ shopUrl }: ShopContext): Promise<void> {
  const socket = connect(Number(new URL(shopUrl).port), "localhost");
  await once(socket, "connect");
  socket.write("POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n");
  return new Promise((resolve) => {
    // A reset closes it too.
    socket.resume().once("error", () => undefined);
    socket.once("close", () => resolve());
  });
}

async function signUpInBrowser({ shopUrl, seller: { page } }: ShopContext): Promise<void> {
  await page.goto(shopUrl);
  for (const [name, value] of Object.entries(newDetails())) await page.locator(`[name=${name}]`).fill(value);
  await page.getByRole("button", { name: "Sign up" }).click();
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("approved")).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.getByRole("button", { name: "Authorize the shop" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page.getByRole("heading", { name: "Accounts" })).toBeVisible();
  await expect(page.getByRole("cell", { name: "$0.00" })).toBeVisible();
}

export async function signInToOffice({ shopUrl, office }: ShopContext): Promise<void> {
  const answer = await office.request.post(`${shopUrl}/sign-in`, { form: { password: officePassword } });
  expect(await answer.text()).toContain("Hello, The");
}

/**
 * A person authorizes while pending, is approved, then suspended. The shop follows each decision, and also learns of
 * decisions whose webhooks never arrive.
 */
export async function followDecisions(context: ShopContext, person: ShopVisitor): Promise<void> {
  const { shopUrl, office, callSandbox, restart } = context;
  // This intent has no metadata. Its webhook must not block later ones.
  const intent = await callSandbox("POST", "/v1/user_intent", { ...pendingDetails(), ip_address: "203.0.113.7" });
  await callSandbox("POST", `/sandbox/user_intents/${intent["id"]}/status`, { status: "approved" });

  const details: Record<string, string> = { ...pendingDetails(), first_name: "Nora" };
  const form = { key: keyIn(await readPage(context, person, "/")), ...details };
  const home = await person.request.post(`${shopUrl}/sign-up`, { form });
  expect(await home.text()).toContain("Your status: pending");
  await authorizeByHttp(context, person);
  expect(await readPage(context, person, "/accounts")).toContain("You have no account yet");
  expect(await readPage(context, office, "/payments")).not.toContain("Nora");

  const { users } = userList.parse(await callSandbox("GET", "/sandbox/users"));
  const user = users.find(({ phone }) => phone === details["phone"]);
  const decide = (status: string) => callSandbox("POST", `/sandbox/users/${user?.id}/status`, { status });
  await decide("approved");
  await expect(async () => {
    expect(await readPage(context, office, "/payments")).toContain("Nora");
  }).toPass({ intervals: [250] });
  expect(await readPage(context, person, "/accounts")).toContain("$0.00");

  await decide("suspended");
  await expect(async () => {
    expect(await readPage(context, person, "/")).toContain("Your status: suspended");
  }).toPass({ intervals: [250] });
  expect(await readPage(context, office, "/payments")).not.toContain("Nora");

  await callSandbox("PUT", "/sandbox/webhook_faults", { kind: "withhold", times: 1000 });
  await decide("approved");
  await restart({ read_people_after_minutes: 0 });
  await expect(async () => {
    expect(await readPage(context, office, "/payments")).toContain("Nora");
  }).toPass({ intervals: [250] });
}

/** Signs up another person in a separate session. */
async function signUpByHttp({ shopUrl }: ShopContext, changed: Record<string, string> = {}): Promise<void> {
  const form = await (await fetch(shopUrl)).text();
  const body = new URLSearchParams({ key: keyIn(form), ...newDetails(), ...changed });
  const answer = await fetch(`${shopUrl}/sign-up`, { method: "POST", body, redirect: "manual" });
  expect(answer.status, await answer.text()).toBe(303);
}

export function newDetails(): Record<string, string> {
  const phone = newPhone();
  return {
    first_name: "Marta",
    last_name: "Quay",
    date_of_birth: "1990-01-31",
    ssn: "123456789",
    phone,
    email: `marta.${phone.slice(-7)}@example.com`,
    address1: "1 Harbor Street",
    city: "Oakland",
    state: "CA",
    postal_code: "94607",
  };
}

/** Details of a person who stays pending until a manual decision. */
function pendingDetails(): Record<string, string> {
  return { ...newDetails(), ssn: "123450002" };
}

async function authorizeByHttp(context: ShopContext, visitor: ShopVisitor): Promise<void> {
  await pressAuthorize(context, visitor, await startAuthorizing(context, visitor));
}

/** Goes to the consent page. */
async function startAuthorizing({ shopUrl }: ShopContext, { request }: ShopVisitor): Promise<SentPage> {
  const answer = await request.post(`${shopUrl}/authorize`);
  return { address: answer.url(), html: await answer.text() };
}

async function pressAuthorize({ shopUrl }: ShopContext, { request }: ShopVisitor, consent: SentPage): Promise<void> {
  const { address } = await submitByHttp(request, consent, /^Authorize$/);
  expect(address).toBe(`${shopUrl}/accounts`);
}

async function disconnect({ shopUrl, seller }: ShopContext): Promise<void> {
  const answer = await seller.request.post(`${shopUrl}/disconnect`);
  expect(await answer.text()).toContain("You disconnected the shop");
}

/** The first redirect back is refused with this status; the second one connects. */
async function authorizeTwice(context: ShopContext, status: number): Promise<void> {
  const { request } = context.seller;
  await disconnect(context);
  const consent = await startAuthorizing(context, context.seller);
  await expect(submitByHttp(request, consent, /^Authorize$/)).rejects.toThrow(`: ${status}`);
  await authorizeByHttp(context, context.seller);
}

async function cancelVisit(context: ShopContext): Promise<void> {
  const { request } = context.seller;
  const consent = await startAuthorizing(context, context.seller);
  // The shop answers the cancelled visit with an error page.
  await expect(submitByHttp(request, consent, /^Cancel$/)).rejects.toThrow(/\/callback\?.*403$/);
}

async function viewAccounts(context: ShopContext): Promise<void> {
  expect(await readPage(context, context.seller, "/accounts")).toContain("$");
}

async function readPage(
  { shopUrl }: ShopContext,
  { request }: ShopVisitor,
  path: string,
  status = 200,
): Promise<string> {
  const answer = await request.get(shopUrl + path);
  const html = await answer.text();
  expect(answer.status(), html).toBe(status);
  return html;
}

/** Pays the first seller, settles at once by advancing the service's clock, and waits until the shop shows it. */
async function pay(
  context: ShopContext,
  _answers: Record<string, unknown> = {},
  { amount = "10.00", outcome = "completed" } = {},
): Promise<void> {
  const { callSandbox, office, shopUrl } = context;
  const form = await readPage(context, office, "/payments");
  const count = statusesIn(form).length;
  const [, customer_id = ""] = /<option value="?(\w+)/.exec(form) ?? [];
  await office.request.post(`${shopUrl}/payments`, { form: { key: keyIn(form), customer_id, amount } });
  await callSandbox("POST", "/sandbox/clock/advance", { seconds: settlementSeconds });
  await expect(async () => {
    const statuses = statusesIn(await readPage(context, office, "/payments"));
    expect(statuses).toHaveLength(count + 1);
    expect(statuses.at(-1)).toBe(outcome);
  }).toPass({ intervals: [250] });
}

export function statusesIn(html: string): string[] {
  return [...html.matchAll(/<tr>.*?<td>.*?<td>.*?<td>([^<]*)/g)].map(([, status = ""]) => status.trim());
}

export function keyIn(html: string): string {
  return /name="?key"? value="?([0-9a-f-]{36})/.exec(html)?.[1] ?? "";
}
