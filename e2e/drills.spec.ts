import { type Browser, expect, type Page } from "@playwright/test";
import { limits } from "../lib/contract/limits.ts";
import { type CheckReport, checkReport, type DrillRecord, drillList } from "../lib/contract/sandbox-checks.ts";
import { eventPage } from "../lib/contract/sandbox-events.ts";
import { deliveryList } from "../lib/contract/sandbox-webhooks.ts";
import { basicCredentials } from "../lib/kit/testing/basic-credentials.ts";
import { type Stack, startStack } from "../scripts/test-stack.ts";
import { type CallSandbox, type DrillContext, drillsAtHarbor } from "./drills-at-harbor.ts";
import { balanceOn, jumpTwoHours, returnToRealTime } from "./harbor.ts";
import { connectByHttp, openOfficeByHttp } from "./http-shortcuts.ts";
import { newPerson, type Person, test } from "./journey.ts";
import { callService, demoCredentials } from "./service-api.ts";

// Runs every drill against Harbor by its own definition, and requires its rules to be kept and none to be broken.

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
    // The last two also move Harbor's clock.
    "week-passes",
    "refresh-token-ends",
  ],
  // Each answer takes half a minute.
  unanswered: ["payment-sent-again", "payment-unanswered", "payment-without-answer-sent-again"],
  duringTimeouts: ["sensitive-note", "code-comes-twice", "person-says-no"],
  afterTimeouts: ["two-visits", "page-left-open", "stranger-asks", "customer-endpoint-again", "person-disconnects"],
  secret: ["secret-rotates"],
};

test("ordinary day and webhook drills: Harbor keeps every rule", async ({ browser, page, seller, stack }) => {
  const context = await openContext({ browser, page, seller, stack });
  const began = await lastEvent(context.callSandbox);
  await runDrills(journeys.webhooks, context);
  await expectNoneBroken(context.callSandbox, began);
  await context.operator.context().close();
});

test("token drills: Harbor keeps every rule", async ({ browser, page, seller, stack }) => {
  const context = await openContext({ browser, page, seller, stack });
  const began = await lastEvent(context.callSandbox);
  await connectByHttp(page, stack.partnerUrl, seller);
  await openOfficeByHttp(context.operator, stack.partnerUrl);
  await runDrills(journeys.tokens, context);
  await expectNoneBroken(context.callSandbox, began);
  await returnToRealTime(page);
  await context.operator.context().close();
});

test("payment timeout and authorization drills: Harbor keeps every rule and pays once", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  const paid = newPerson();
  const theirs = await (await browser.newContext()).newPage();
  const context = await openContext({ browser, page: theirs, seller: paid, stack });
  const { callSandbox, operator } = context;
  const began = await lastEvent(callSandbox);
  await connectByHttp(theirs, stack.partnerUrl, paid);
  await openOfficeByHttp(operator, stack.partnerUrl);
  for (const id of journeys.unanswered) await runDrill(await findDrill(callSandbox, id), context);

  await runDrills(journeys.duringTimeouts, { ...context, page, seller });
  const pages = await Promise.all(context.pendingPages);
  for (const payment of pages) {
    // The outcome may be known by now.
    const isUnknown = payment.getByText("We don't know yet whether this was paid");
    await expect(isUnknown.or(payment.getByText("Transfer processed"))).toBeVisible();
  }
  // Makes Harbor's job due, which retries with the key before the first answer arrives.
  await operator.goto(`${stack.partnerUrl}/business`);
  await jumpTwoHours(operator);
  for (const payment of pages) await expect(payment.getByText("Transfer processed")).toBeVisible();
  await runDrills(journeys.afterTimeouts, { ...context, page, seller });

  for (const id of journeys.unanswered)
    await expectPassed(callSandbox, await findDrill(callSandbox, id), began, { timeout: 40_000 });
  await theirs.goto(`${stack.partnerUrl}/dashboard`);
  await expect(balanceOn(theirs)).toContainText("$90.00");
  await expectNoneBroken(callSandbox, began);
  await endFaults(callSandbox);
  await returnToRealTime(operator);
  for (const one of [operator, theirs]) await one.context().close();
});

test("webhook secret rotation: Harbor with both secrets keeps every rule", async ({ browser, page, seller, stack }) => {
  const create = { authorization: demoCredentials(), method: "POST", path: "/sandbox/clients" };
  const client = await callService(stack.serviceUrl, create);
  const callSandbox = asClient(stack, basicCredentials(String(client["client_id"]), String(client["client_secret"])));
  const context = await openContext({ browser, page, seller, stack, callSandbox });
  const { operator } = context;
  let harbor: Stack | undefined;
  context.restart = async (settings) => {
    harbor = await startHarborAs(client, stack, settings);
    context.stack = { ...stack, partnerUrl: harbor.partnerUrl };
    await callSandbox("PUT", "/sandbox/webhook_endpoint", { url: `${harbor.partnerUrl}/webhooks` });
    await callSandbox("PUT", "/sandbox/client", {
      customers_url: harbor.partnerUrl,
      redirect_uris: [`${harbor.partnerUrl}/callback`],
    });
    await connectByHttp(page, harbor.partnerUrl, seller);
    await openOfficeByHttp(operator, harbor.partnerUrl);
  };
  context.answers = { old_webhook_secret: client["webhook_secret"] };
  try {
    for (const id of journeys.secret) {
      const drill = await findDrill(callSandbox, id);
      await runDrill(drill, context);
      await expectPassed(callSandbox, drill, "0");
    }
    await expectNoneBroken(callSandbox, "0");
  } finally {
    await operator.context().close();
    await harbor?.stop();
  }
});

test("every drill runs in exactly one journey, and every manual step is implemented", async ({ stack }) => {
  const drills = await readDrills(asClient(stack, demoCredentials()));
  const covered = Object.values(journeys).flat();
  expect(covered.toSorted()).toEqual(drills.map(({ id }) => id).toSorted());
  for (const { id, steps, expect: rules } of drills) {
    const { manual, notSeen = {} } = drillsAtHarbor[id] ?? {};
    expect(manual?.length, id).toBe(steps.filter((step) => "do" in step).length);
    expect(rules, id).toEqual(expect.arrayContaining(Object.keys(notSeen)));
  }
});

type Begin = { browser: Browser; page: Page; seller: Person; stack: Stack; callSandbox?: CallSandbox };

async function openContext({ browser, page, seller, stack, callSandbox = asClient(stack, demoCredentials()) }: Begin) {
  const office = await browser.newContext();
  const operator = await office.newPage();
  const restart = () => Promise.reject(new Error("Unexpected restart."));
  const context: DrillContext = {
    browser,
    operator,
    page,
    seller,
    stack,
    callSandbox,
    answers: {},
    pendingPages: [],
    restart,
  };
  return context;
}

/** Runs drills in order, each judged by the events since its start. */
async function runDrills(ids: string[], context: DrillContext): Promise<void> {
  const { callSandbox } = context;
  for (const id of ids) {
    await test.step(id, async () => {
      const after = await lastEvent(callSandbox);
      const drill = await findDrill(callSandbox, id);
      await runDrill(drill, context);
      await expectPassed(callSandbox, drill, after);
      await endFaults(callSandbox);
    });
  }
}

async function runDrill({ id, steps }: DrillRecord, context: DrillContext): Promise<void> {
  await drillsAtHarbor[id]?.before?.(context);
  const left = [...(drillsAtHarbor[id]?.manual ?? [])];
  for (const step of steps) {
    if ("do" in step) await left.shift()?.(context);
    else {
      const { method, path, body } = step.call;
      Object.assign(context.answers, await context.callSandbox(method, await fillIn(context.callSandbox, path), body));
    }
  }
}

async function fillIn(callSandbox: CallSandbox, path: string): Promise<string> {
  if (!path.includes("{webhook_id}")) return path;
  const { webhooks } = deliveryList.parse(await callSandbox("GET", "/sandbox/webhooks"));
  return path.replace("{webhook_id}", webhooks[0]?.id ?? "");
}

async function expectPassed(
  callSandbox: CallSandbox,
  { id, expect: ids }: DrillRecord,
  after: string,
  { timeout = 20_000 } = {},
): Promise<void> {
  const notSeen = drillsAtHarbor[id]?.notSeen ?? {};
  const wanted = Object.fromEntries(ids.map((rule) => [rule, rule in notSeen ? "not_seen" : "kept"]));
  await expect(async () => {
    const report = await readReport(callSandbox, after);
    const states = new Map(report.rules.map((rule) => [rule.id, rule.state]));
    const seen = Object.fromEntries(ids.map((rule) => [rule, states.get(rule)]));
    expect({ broken: await brokenIn(callSandbox, report), seen }).toEqual({ broken: [], seen: wanted });
  }).toPass({ timeout, intervals: [100] });
}

async function expectNoneBroken(callSandbox: CallSandbox, after: string): Promise<void> {
  expect(await brokenIn(callSandbox, await readReport(callSandbox, after))).toEqual([]);
}

/** The broken rules with their evidence. */
async function brokenIn(callSandbox: CallSandbox, { rules }: CheckReport): Promise<unknown[]> {
  const broken = rules.filter(({ state }) => state === "broken");
  return Promise.all(
    broken.map(async ({ id, evidence }) => ({ id, evidence: await readEvents(callSandbox, evidence) })),
  );
}

async function readEvents(callSandbox: CallSandbox, ids: string[]): Promise<unknown[]> {
  if (ids.length === 0) return [];
  const { events } = eventPage.parse(await callSandbox("GET", `/sandbox/events?limit=${limits.eventsPageMax}`));
  return events.filter(({ id }) => ids.includes(id));
}

async function readDrills(callSandbox: CallSandbox): Promise<DrillRecord[]> {
  return drillList.parse(await callSandbox("GET", "/sandbox/drills")).drills;
}

async function findDrill(callSandbox: CallSandbox, id: string): Promise<DrillRecord> {
  const drill = (await readDrills(callSandbox)).find((one) => one.id === id);
  if (!drill) throw new Error(`There is no drill ${id}.`);
  return drill;
}

async function lastEvent(callSandbox: CallSandbox): Promise<string> {
  return (await readReport(callSandbox, "0")).last_event ?? "0";
}

async function readReport(callSandbox: CallSandbox, after: string): Promise<CheckReport> {
  return checkReport.parse(await callSandbox("GET", `/sandbox/checks?after=${after}`));
}

async function endFaults(callSandbox: CallSandbox): Promise<void> {
  await callSandbox("DELETE", "/sandbox/faults");
  await callSandbox("DELETE", "/sandbox/webhook_faults");
}

function asClient({ serviceUrl }: Stack, authorization: string): CallSandbox {
  return (method, path, body) => callService(serviceUrl, { authorization, method, path, ...(body && { body }) });
}

/** Starts a Harbor with its own database as this client. */
function startHarborAs(
  client: Record<string, unknown>,
  { serviceUrl, authUrl }: Stack,
  settings: Record<string, string>,
): Promise<Stack> {
  const fields = {
    PARTNER_CLIENT_ID: "client_id",
    PARTNER_CLIENT_SECRET: "client_secret",
    PARTNER_PROVIDER: "provider",
    PARTNER_CUSTOMER_ENDPOINT_SECRET: "customer_endpoint_secret",
    PARTNER_BUSINESS_USER_ID: "business_user_id",
    PARTNER_BUSINESS_USER_PHONE: "business_user_phone",
  };
  const own = Object.entries(fields).map(([name, field]) => [name, String(client[field])]);
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
