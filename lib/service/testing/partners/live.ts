import { setTimeout as pass } from "node:timers/promises";
import { limits } from "../../../contract/limits.ts";
import { startFakeServer } from "../../../kit/testing/fake-server.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { authorizeVisit, cancelVisit } from "../../operations/visits/finish-visit.ts";
import type { VisitKey } from "../../operations/visits/read-visit.ts";
import { allRules } from "../../sandbox/checks/all-rules.ts";
import { readHistory } from "../../sandbox/checks/history.ts";
import { verdictOf } from "../../sandbox/checks/rule.ts";
import { readAllEvents } from "../../sandbox/events/list-events.ts";
import { createTestClient, type TestClient } from "../clients.ts";
import { type Customer, type Partner, type Payment, PersonNeeded } from "./partner.ts";

const day = 86_400;

/** The verdict of each rule: from `GET /sandbox/checks` at the end, and from the same events an hour later. */
export type Lived = { now: Record<string, string>; anHourLater: Record<string, string> };

/**
 * Runs a partner through an ordinary day and everything that the drills break, and returns the verdicts. A step that the
 * partner breaks is repeated, so that later steps still happen.
 */
export async function live(PartnerClass: typeof Partner, serviceUrl: string): Promise<Lived> {
  const client = await createTestClient();
  const server = await startFakeServer();
  const partner = new PartnerClass({ serviceUrl, client, server });
  try {
    await goThrough({ client, partner });
    await Promise.allSettled(partner.work);
    const { json } = await client.call("GET", "/sandbox/checks");
    const rules = json["rules"] as { id: string; state: string }[];
    const now = Object.fromEntries(rules.map(({ id, state }) => [id, state]));
    return { now, anHourLater: await judgeAnHourLater(client.clientId) };
  } finally {
    await server.stop();
  }
}

// Real time can't be moved, so the stored events are judged as of then.
async function judgeAnHourLater(clientId: string): Promise<Record<string, string>> {
  const until = new Date(Date.now() + limits.checkLostEventMs);
  const history = readHistory(await readAllEvents(clientId), { until });
  return Object.fromEntries(allRules.map((rule) => [rule.id, verdictOf(rule.judge(history), { after: 0 }).state]));
}

type World = { client: TestClient; partner: Partner };

async function goThrough(world: World): Promise<void> {
  const { client, partner } = world;
  const { redirectUri, otherRedirectUri, server, business } = partner;
  await control(world, "PUT", "/sandbox/webhook_endpoint", { url: `${server.url}/webhooks` });
  await control(world, "PUT", "/sandbox/client", {
    customers_url: server.url,
    redirect_uris: [redirectUri, otherRedirectUri],
  });

  const ada = await partner.signUp(newPhone());
  await control(world, "POST", `/sandbox/user_intents/${ada.userIntentId}/status`, { status: "approved" });
  await deliveriesDone(world);
  await fault(world, { operation: "createUserIntent", cut: "after", times: 1 });
  await partner.signUp(newPhone());
  await leavePageOpen(world, ada);
  await connect(world, ada);
  await connect(world, business);
  const sourceId = await accountOf(partner, business);
  const destinationId = await accountOf(partner, ada);
  const pay = () => partner.pay({ amount: 10, sourceId, destinationId });

  await fault(world, { operation: "readUser", status: 500, times: 30 });
  await partner.withToken(business, "GET", "/v1/user");
  await control(world, "DELETE", "/sandbox/faults");

  for (const foreign of ["state", "issuer", "person"]) {
    await fault(world, { operation: "authorize", foreign, times: 1 });
    await authorizeOnce(world, ada);
    await control(world, "DELETE", "/sandbox/faults");
  }
  await connect(world, ada);

  await settle(world, await pay());
  for (const kind of ["duplicate", "tamper", "reformatted", "stale", "unknown_type", "drop"]) {
    // Both webhooks of a payment are lost, as in the drill.
    await control(world, "PUT", "/sandbox/webhook_faults", { kind, times: kind === "drop" ? 2 : 1 });
    await settle(world, await pay(), { isDropped: kind === "drop" });
  }
  await control(world, "PUT", "/sandbox/webhook_faults", { kind: "withhold", times: 2 });
  await settleWithoutWebhooks(world, await pay());
  const { webhook_secret } = await control(world, "POST", "/sandbox/webhook_endpoint/rotate");
  partner.keepSecret(String(webhook_secret));
  await control(world, "PUT", "/sandbox/webhook_faults", { kind: "old_secret", times: 1 });
  await settle(world, await pay());
  await sendNewestAgain(world);
  await control(world, "POST", "/sandbox/customer_probes", {});

  await refuse(world, ada);
  await fault(world, { operation: "listAccounts", status: 401, times: 1 });
  await accountOf(partner, ada);
  await fault(world, { operation: "createBookRoutine", latency_ms: 1500, times: 1 });
  await pay();
  await fault(world, { operation: "listAccounts", status: 429, times: 2 });
  await accountOf(partner, business);
  await control(world, "DELETE", "/sandbox/faults");

  await control(world, "POST", "/sandbox/clock/advance", { seconds: 7300 });
  await fault(world, { operation: "issueTokens", latency_ms: 200, times: 2 });
  await Promise.all([accountOf(partner, ada), accountOf(partner, ada)]);
  await control(world, "DELETE", "/sandbox/faults");
  await control(world, "POST", "/sandbox/clock/advance", { seconds: 7 * day });
  await partner.renewAll();
  await control(world, "POST", "/sandbox/clock/advance", { seconds: 11 * day });
  await accountOf(partner, ada).catch(expectPersonNeeded);
  await connect(world, ada);
  await accountOf(partner, ada);
  await partner.disconnect(ada);
  await connect(world, ada);
  await client.call("GET", "/sandbox/clock");
}

async function control({ client }: World, method: string, path: string, body?: unknown) {
  const { status, json, text } = await client.call(method, path, body === undefined ? {} : { body });
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return json;
}

function fault(
  world: World,
  body: { operation: string; status?: number; cut?: "after"; foreign?: string; latency_ms?: number; times: number },
) {
  return control(world, "PUT", "/sandbox/faults", body);
}

// Longer than a session token lives, shorter than any other lifetime.
const pageOpenSeconds = 90;

async function leavePageOpen(world: World, customer: Customer): Promise<void> {
  const page = await attempt(() => world.partner.drawPage(customer));
  await control(world, "POST", "/sandbox/clock/advance", { seconds: pageOpenSeconds });
  const address = await attempt(() => world.partner.click(customer, page));
  const key = await openVisit(address);
  if (key) await cancelAndGoBack(world, key);
}

/** The person authorizes, retrying as often as needed. */
async function connect(world: World, customer: Customer): Promise<void> {
  const { partner } = world;
  for (let round = 0; round < 3; round++) {
    const address = await authorizeOnce(world, customer);
    // A reload of the callback page.
    if (address && partner.pairs.has(customer.id)) return void (await partner.comeBack(address));
  }
  throw new Error(`${customer.id} never connected.`);
}

/** The person authorizes; returns the callback's address. */
async function authorizeOnce({ partner }: World, customer: Customer): Promise<URL | undefined> {
  const key = await openVisit(await attempt(() => partner.setOut(customer)));
  if (!key) return undefined;
  const outcome = await authorizeVisit(key);
  if (outcome.kind !== "authorized") throw new Error(outcome.kind);
  const address = new URL(outcome.returnTo);
  await partner.comeBack(address);
  return address;
}

/** The person cancels. */
async function refuse(world: World, customer: Customer): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const key = await openVisit(await attempt(() => world.partner.setOut(customer)));
    if (key) return cancelAndGoBack(world, key);
  }
}

async function cancelAndGoBack({ partner }: World, key: VisitKey): Promise<void> {
  const outcome = await cancelVisit(key);
  if (outcome.kind === "cancelled") await partner.comeBack(new URL(outcome.returnTo));
}

async function openVisit(address: URL | undefined): Promise<VisitKey | undefined> {
  if (!address) return undefined;
  const answer = await fetch(address, { redirect: "manual" });
  const visitId = /^\/login\/oauth\/authorize\/(.+)$/.exec(answer.headers.get("location") ?? "")?.[1];
  const visitSecret = /^visit-[^=]+=([^;]+);/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
  return visitId && visitSecret ? { visitId, visitSecret } : undefined;
}

async function accountOf(partner: Partner, customer: Customer): Promise<string> {
  const { body } = await partner.withToken(customer, "GET", "/v1/accounts");
  const [account] = (body["accounts"] as { id: string }[] | undefined) ?? [];
  return account?.id ?? "";
}

/** The payment settles, and its webhooks arrive; failed ones are resent at once. */
async function settle(world: World, payment: Payment, { isDropped = false } = {}): Promise<void> {
  const { transferId } = payment;
  await control(world, "POST", `/sandbox/transfers/${transferId}/status`, { status: "processed" });
  await deliveriesDone(world, async () => {
    if (isDropped) await world.partner.readPayment(payment);
  });
}

/** The payment settles while its webhooks are held back; they arrive once the partner has read it. */
async function settleWithoutWebhooks(world: World, payment: Payment): Promise<void> {
  await control(world, "POST", `/sandbox/transfers/${payment.transferId}/status`, { status: "processed" });
  for (const pause of growingPauses()) {
    const { webhooks } = await control(world, "GET", "/sandbox/webhooks");
    if ((webhooks as Webhook[]).filter(({ fault }) => fault === "withhold").length === 2) break;
    await pause();
  }
  await world.partner.readPayment(payment);
  await control(world, "DELETE", "/sandbox/webhook_faults");
  await deliveriesDone(world);
}

/** Waits until each webhook was attempted, and resends failed ones. */
async function deliveriesDone(world: World, beforeAgain = async () => {}): Promise<void> {
  const failed = (await attempted(world)).filter(({ status }) => status !== "delivered");
  if (failed.length === 0) return;
  await beforeAgain();
  for (const { id, attempts } of failed) {
    if (attempts.length > 1) continue;
    await control(world, "POST", `/sandbox/webhooks/${id}/redeliver`);
  }
  await attempted(world, 2);
}

type Webhook = { id: string; status: string; fault: string | null; attempts: unknown[] };

async function attempted(world: World, attemptsMin = 1): Promise<Webhook[]> {
  for (const pause of growingPauses()) {
    const { webhooks } = await control(world, "GET", "/sandbox/webhooks");
    const all = webhooks as Webhook[];
    const isDone = ({ status, attempts }: Webhook) => status === "delivered" || attempts.length >= attemptsMin;
    if (all.length > 0 && all.every(isDone)) return all;
    await pause();
  }
  throw new Error("The webhooks weren't attempted.");
}

async function sendNewestAgain(world: World): Promise<void> {
  const { webhooks } = await control(world, "GET", "/sandbox/webhooks");
  const [newest] = webhooks as Webhook[];
  const before = newest?.attempts.length ?? 0;
  await control(world, "POST", `/sandbox/webhooks/${newest?.id}/redeliver`);
  for (const pause of growingPauses()) {
    const { webhooks: now } = await control(world, "GET", "/sandbox/webhooks");
    if (((now as Webhook[])[0]?.attempts.length ?? 0) > before) return;
    await pause();
  }
}

/** Many partners polling in a tight loop would slow down what they wait for. */
function* growingPauses(): Generator<() => Promise<void>> {
  for (let pauseMs = 20, waitedMs = 0; waitedMs < 30_000; waitedMs += pauseMs, pauseMs = Math.min(2 * pauseMs, 500)) {
    yield () => pass(pauseMs);
  }
}

/** A step that a partner may break once. */
async function attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  return work().catch(() => undefined);
}

function expectPersonNeeded(error: unknown): void {
  if (!(error instanceof PersonNeeded)) throw error;
}
