import { type Browser, expect, type Page } from "@playwright/test";
import { limits } from "../lib/contract/limits.ts";
import { type CheckReport, checkReport, type DrillRecord, drillList } from "../lib/contract/sandbox-checks.ts";
import { eventPage } from "../lib/contract/sandbox-events.ts";
import { deliveryList } from "../lib/contract/sandbox-webhooks.ts";
import { basicCredentials } from "../lib/kit/testing/basic-credentials.ts";
import { type Stack, startStack } from "../scripts/test-stack.ts";
import { connectByHttp, openOfficeByHttp } from "./http-shortcuts.ts";
import { type AskSandbox, drillsAtHarbor, type Hands } from "./drills-at-harbor.ts";
import { balanceOn, jumpTwoHours, returnToRealTime } from "./harbor.ts";
import { newPerson, type Person, test } from "./journey.ts";
import { callService, demoCredentials } from "./service-api.ts";

// Harbor is taken through every drill by the drill's own definition: the sandbox arranges what it says, somebody does at Harbor
// what it says, and the report of what followed keeps each of its rules and breaks none at all.

test.describe.configure({ timeout: 180_000 });

const journeys = {
  webhooks: [
    "ordinary-day",
    "webhook-comes-twice",
    "webhook-sent-again",
    "webhook-changed",
    "webhook-old",
    "webhook-of-new-type",
    "webhook-lost",
    "webhooks-out-of-order",
    "payment-fails",
    "service-fails",
  ],
  tokens: [
    "access-token-ends",
    "token-refused",
    "tabs-refresh-together",
    "new-token-everywhere",
    "asked-to-wait",
    "token-endpoint-down",
    // The last two move Harbor's clock as well.
    "week-passes",
    "refresh-token-ends",
  ],
  // Each answer takes half a minute.
  unanswered: ["payment-sent-again", "payment-unanswered", "payment-without-answer-sent-again"],
  whileHarborWaits: ["sensitive-note", "code-comes-twice", "person-says-no"],
  onceHarborKnows: ["two-visits", "page-left-open", "stranger-asks", "customer-endpoint-again", "person-disconnects"],
  secret: ["secret-rotates"],
};

test("ordinary day and webhook drills: Harbor keeps every rule", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  const hands = await openHands({ browser, page, seller, stack });
  const began = await lastEvent(hands.ask);
  await goThrough(journeys.webhooks, hands);
  await expectNoneBroken(hands.ask, began);
  await hands.operator.context().close();
});

test("token drills: Harbor keeps every rule", async ({ browser, page, seller, stack }) => {
  const hands = await openHands({ browser, page, seller, stack });
  const began = await lastEvent(hands.ask);
  await connectByHttp(page, stack.partnerUrl, seller);
  await openOfficeByHttp(hands.operator, stack.partnerUrl);
  await goThrough(journeys.tokens, hands);
  await expectNoneBroken(hands.ask, began);
  await returnToRealTime(page);
  await hands.operator.context().close();
});

test("payment timeout and authorization drills: Harbor keeps every rule and pays once", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  const paid = newPerson();
  const theirs = await (await browser.newContext()).newPage();
  const hands = await openHands({ browser, page: theirs, seller: paid, stack });
  const { ask, operator } = hands;
  const began = await lastEvent(ask);
  await connectByHttp(theirs, stack.partnerUrl, paid);
  await openOfficeByHttp(operator, stack.partnerUrl);
  for (const id of journeys.unanswered) await takePart(await findDrill(ask, id), hands);

  await goThrough(journeys.whileHarborWaits, { ...hands, page, seller });
  const pages = await Promise.all(hands.underWay);
  for (const payment of pages) {
    // What came of it may have been found out while the drills went on.
    const isUnknown = payment.getByText("We don't know yet whether this was paid");
    await expect(isUnknown.or(payment.getByText("Transfer processed"))).toBeVisible();
  }
  // Then Harbor's job is due, and it can ask by the key before the first answer comes.
  await operator.goto(`${stack.partnerUrl}/business`);
  await jumpTwoHours(operator);
  for (const payment of pages) await expect(payment.getByText("Transfer processed")).toBeVisible();
  await goThrough(journeys.onceHarborKnows, { ...hands, page, seller });

  for (const id of journeys.unanswered) await expectPassed(ask, await findDrill(ask, id), began, { timeout: 40_000 });
  await theirs.goto(`${stack.partnerUrl}/dashboard`);
  await expect(balanceOn(theirs)).toContainText("$90.00");
  await expectNoneBroken(ask, began);
  await endFaults(ask);
  await returnToRealTime(operator);
  for (const one of [operator, theirs]) await one.context().close();
});

test("webhook secret rotation: Harbor with both secrets keeps every rule", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  const create = { authorization: demoCredentials(), method: "POST", path: "/sandbox/clients" };
  const client = await callService(stack.serviceUrl, create);
  const ask = asClient(stack, basicCredentials(String(client["client_id"]), String(client["client_secret"])));
  const hands = await openHands({ browser, page, seller, stack, ask });
  const { operator } = hands;
  let harbor: Stack | undefined;
  hands.restart = async (settings) => {
    harbor = await startHarborAs(client, stack, settings);
    hands.stack = { ...stack, partnerUrl: harbor.partnerUrl };
    await ask("PUT", "/sandbox/webhook_endpoint", { url: `${harbor.partnerUrl}/webhooks` });
    await ask("PUT", "/sandbox/client", {
      customers_url: harbor.partnerUrl,
      redirect_uris: [`${harbor.partnerUrl}/callback`],
    });
    await connectByHttp(page, harbor.partnerUrl, seller);
    await openOfficeByHttp(operator, harbor.partnerUrl);
  };
  hands.told = { old_webhook_secret: client["webhook_secret"] };
  try {
    for (const id of journeys.secret) {
      const drill = await findDrill(ask, id);
      await takePart(drill, hands);
      await expectPassed(ask, drill, "0");
    }
    await expectNoneBroken(ask, "0");
  } finally {
    await operator.context().close();
    await harbor?.stop();
  }
});

test("every drill runs in exactly one journey, and every manual step is implemented", async ({
  stack,
}) => {
  const drills = await readDrills(asClient(stack, demoCredentials()));
  const lived = Object.values(journeys).flat();
  expect(lived.toSorted()).toEqual(drills.map(({ id }) => id).toSorted());
  for (const { id, steps, expect: rules } of drills) {
    const { does, notSeen = {} } = drillsAtHarbor[id] ?? {};
    expect(does?.length, id).toBe(steps.filter((step) => "do" in step).length);
    expect(rules, id).toEqual(expect.arrayContaining(Object.keys(notSeen)));
  }
});

type Begin = { browser: Browser; page: Page; seller: Person; stack: Stack; ask?: AskSandbox };

async function openHands({ browser, page, seller, stack, ask = asClient(stack, demoCredentials()) }: Begin) {
  const office = await browser.newContext();
  const operator = await office.newPage();
  const restart = () => Promise.reject(new Error("This Harbor is not restarted."));
  const hands: Hands = { browser, operator, page, seller, stack, ask, told: {}, underWay: [], restart };
  return hands;
}

/** One drill after the other, each judged by what followed its beginning. */
async function goThrough(ids: string[], hands: Hands): Promise<void> {
  const { ask } = hands;
  for (const id of ids) {
    await test.step(id, async () => {
      const after = await lastEvent(ask);
      const drill = await findDrill(ask, id);
      await takePart(drill, hands);
      await expectPassed(ask, drill, after);
      await endFaults(ask);
    });
  }
}

async function takePart({ id, steps }: DrillRecord, hands: Hands): Promise<void> {
  await drillsAtHarbor[id]?.before?.(hands);
  const left = [...(drillsAtHarbor[id]?.does ?? [])];
  for (const step of steps) {
    if ("do" in step) await left.shift()?.(hands);
    else {
      const { method, path, body } = step.call;
      Object.assign(hands.told, await hands.ask(method, await fillIn(hands.ask, path), body));
    }
  }
}

async function fillIn(ask: AskSandbox, path: string): Promise<string> {
  if (!path.includes("{webhook_id}")) return path;
  const { webhooks } = deliveryList.parse(await ask("GET", "/sandbox/webhooks"));
  return path.replace("{webhook_id}", webhooks[0]?.id ?? "");
}

async function expectPassed(
  ask: AskSandbox,
  { id, expect: ids }: DrillRecord,
  after: string,
  { timeout = 20_000 } = {},
): Promise<void> {
  const notSeen = drillsAtHarbor[id]?.notSeen ?? {};
  const wanted = Object.fromEntries(ids.map((rule) => [rule, rule in notSeen ? "not_seen" : "kept"]));
  await expect(async () => {
    const report = await readReport(ask, after);
    const states = new Map(report.rules.map((rule) => [rule.id, rule.state]));
    const seen = Object.fromEntries(ids.map((rule) => [rule, states.get(rule)]));
    expect({ broken: await brokenIn(ask, report), seen }).toEqual({ broken: [], seen: wanted });
  }).toPass({ timeout, intervals: [100] });
}

async function expectNoneBroken(ask: AskSandbox, after: string): Promise<void> {
  expect(await brokenIn(ask, await readReport(ask, after))).toEqual([]);
}

/** The rules that were broken, each with what shows it. */
async function brokenIn(ask: AskSandbox, { rules }: CheckReport): Promise<unknown[]> {
  const broken = rules.filter(({ state }) => state === "broken");
  return Promise.all(broken.map(async ({ id, evidence }) => ({ id, evidence: await readEvents(ask, evidence) })));
}

async function readEvents(ask: AskSandbox, ids: string[]): Promise<unknown[]> {
  if (ids.length === 0) return [];
  const { events } = eventPage.parse(await ask("GET", `/sandbox/events?limit=${limits.eventsPageMax}`));
  return events.filter(({ id }) => ids.includes(id));
}

async function readDrills(ask: AskSandbox): Promise<DrillRecord[]> {
  return drillList.parse(await ask("GET", "/sandbox/drills")).drills;
}

async function findDrill(ask: AskSandbox, id: string): Promise<DrillRecord> {
  const drill = (await readDrills(ask)).find((one) => one.id === id);
  if (!drill) throw new Error(`There is no drill ${id}.`);
  return drill;
}

async function lastEvent(ask: AskSandbox): Promise<string> {
  return (await readReport(ask, "0")).last_event ?? "0";
}

async function readReport(ask: AskSandbox, after: string): Promise<CheckReport> {
  return checkReport.parse(await ask("GET", `/sandbox/checks?after=${after}`));
}

async function endFaults(ask: AskSandbox): Promise<void> {
  await ask("DELETE", "/sandbox/faults");
  await ask("DELETE", "/sandbox/webhook_faults");
}

function asClient({ serviceUrl }: Stack, authorization: string): AskSandbox {
  return (method, path, body) => callService(serviceUrl, { authorization, method, path, ...(body && { body }) });
}

/** A Harbor with a database of its own that is this client of the stack's service. */
function startHarborAs(
  client: Record<string, unknown>,
  { serviceUrl, authUrl }: Stack,
  settings: Record<string, string>,
): Promise<Stack> {
  const told = {
    PARTNER_CLIENT_ID: "client_id",
    PARTNER_CLIENT_SECRET: "client_secret",
    PARTNER_PROVIDER: "provider",
    PARTNER_CUSTOMER_ENDPOINT_SECRET: "customer_endpoint_secret",
    PARTNER_BUSINESS_USER_ID: "business_user_id",
    PARTNER_BUSINESS_USER_PHONE: "business_user_phone",
  };
  const own = Object.entries(told).map(([name, field]) => [name, String(client[field])]);
  return startStack({
    postgresUrl: process.env["TEST_POSTGRES_URL"] ?? "",
    apart: false,
    only: ["partner", "partner-worker"],
    settings: {
      ...Object.fromEntries(own),
      PARTNER_SERVICE_BASE_URL: serviceUrl,
      PARTNER_SERVICE_AUTH_URL: authUrl,
      ...settings,
    },
  });
}
