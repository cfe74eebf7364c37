import { type Browser, expect, type Page } from "@playwright/test";
import type { DrillRecord } from "../lib/contract/sandbox-checks.ts";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";
import { type Stack, startStack } from "../scripts/test-stack.ts";
import {
  type CallSandbox,
  endFaults,
  expectNoneBroken,
  expectPassed,
  findDrill,
  lastEvent,
  performDrill,
  readDrills,
  sandboxOf,
} from "./drill-report.ts";
import { type DrillContext, drillsAtHarbor } from "./drills-at-harbor.ts";
import { balanceOn, jumpTwoHours, returnToRealTime } from "./harbor.ts";
import { connectByHttp, openOfficeByHttp } from "./http-shortcuts.ts";
import { newPerson, type Person, test } from "./journey.ts";
import { callService, demoCredentials } from "./service-api.ts";

// Runs every drill as defined against Harbor, which must keep its rules and break none.

const journeys = {
  webhooks: [
    "ordinary-day",
    "webhook-comes-twice",
    "webhook-sent-again",
    "webhook-changed",
    "webhook-reformatted",
    "webhook-old",
    "webhook-of-new-type",
    "webhook-lost",
    "webhooks-withheld",
    "webhooks-out-of-order",
    "payment-fails",
    "service-fails",
    "intent-unanswered",
  ],
  tokens: [
    "access-token-ends",
    "access-token-ends-twice",
    "token-refused",
    "tabs-refresh-together",
    "new-token-everywhere",
    "asked-to-wait",
    "token-endpoint-down",
    // The last two also move Harbor's clock.
    "week-passes",
    "refresh-token-ends",
  ],
  // Each payment's answer comes half a minute late, and Harbor must retry earlier, so no other drill runs in between.
  unanswered: ["payment-sent-again", "payment-unanswered", "payment-without-answer-sent-again"],
  afterTimeouts: [
    "sensitive-note",
    "code-comes-twice",
    "state-of-another",
    "issuer-of-another",
    "code-of-another",
    "person-says-no",
    "two-visits",
    "page-left-open",
    "stranger-asks",
    "customer-endpoint-again",
    "person-disconnects",
  ],
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
  const sellerPage = await (await browser.newContext()).newPage();
  const context = await openContext({ browser, page: sellerPage, seller: paid, stack });
  const { callSandbox, operator } = context;
  const began = await lastEvent(callSandbox);
  await connectByHttp(sellerPage, stack.partnerUrl, paid);
  await openOfficeByHttp(operator, stack.partnerUrl);
  for (const id of journeys.unanswered) await runDrill(await findDrill(callSandbox, id), context);

  const pages = await Promise.all(context.pendingPages);
  for (const payment of pages) {
    // The outcome may already be known.
    const isUnknown = payment.getByText("We don't know yet whether this was paid");
    await expect(isUnknown.or(payment.getByText("Transfer processed"))).toBeVisible();
  }
  // Makes Harbor's job due, so that it retries with the key before the first answer arrives.
  await operator.goto(`${stack.partnerUrl}/business`);
  await jumpTwoHours(operator);
  for (const payment of pages) await expect(payment.getByText("Transfer processed")).toBeVisible();
  await runDrills(journeys.afterTimeouts, { ...context, page, seller });

  for (const id of journeys.unanswered) await expectPassed(callSandbox, await findDrill(callSandbox, id), began);
  await sellerPage.goto(`${stack.partnerUrl}/dashboard`);
  await expect(balanceOn(sellerPage)).toContainText("$90.00");
  await expectNoneBroken(callSandbox, began);
  await endFaults(callSandbox);
  await returnToRealTime(operator);
  for (const one of [operator, sellerPage]) await one.context().close();
});

test("webhook secret rotation: Harbor with both secrets keeps every rule", async ({ browser, page, seller, stack }) => {
  const create = { authorization: demoCredentials(), method: "POST", path: "/sandbox/clients" };
  const client = await callService(stack.serviceUrl, create);
  const callSandbox = sandboxOf(stack, basicCredentials(String(client["client_id"]), String(client["client_secret"])));
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
  const drills = await readDrills(sandboxOf(stack, demoCredentials()));
  const covered = Object.values(journeys).flat();
  expect(covered.toSorted()).toEqual(drills.map(({ id }) => id).toSorted());
  for (const { id, steps, expect: rules } of drills) {
    const { manual, notSeen = {} } = drillsAtHarbor[id] ?? {};
    expect(manual?.length, id).toBe(steps.filter((step) => "do" in step).length);
    expect(rules, id).toEqual(expect.arrayContaining(Object.keys(notSeen)));
  }
});

type Begin = { browser: Browser; page: Page; seller: Person; stack: Stack; callSandbox?: CallSandbox };

async function openContext({ browser, page, seller, stack, callSandbox = sandboxOf(stack, demoCredentials()) }: Begin) {
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
      await expectPassed(callSandbox, drill, after, { notSeen: drillsAtHarbor[id]?.notSeen ?? {} });
      await endFaults(callSandbox);
    });
  }
}

async function runDrill(drill: DrillRecord, context: DrillContext): Promise<void> {
  const { before, manual = [] } = drillsAtHarbor[drill.id] ?? {};
  await before?.(context);
  const steps = manual.map((step) => (answers: Record<string, unknown>) => {
    Object.assign(context.answers, answers);
    return step(context);
  });
  await performDrill(drill, context.callSandbox, steps);
}

/** Starts a separate Harbor, with its own database, as this client. */
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
  const clientSettings = Object.entries(fields).map(([name, field]) => [name, String(client[field])]);
  return startStack({
    postgresUrl: process.env["TEST_POSTGRES_URL"] ?? "",
    apart: false,
    only: ["partner", "partner-worker"],
    settings: {
      ...Object.fromEntries(clientSettings),
      PARTNER_SERVICE_BASE_URL: serviceUrl,
      PARTNER_SERVICE_AUTH_URL: authUrl,
      ...settings,
    },
  });
}
