import { type Browser, expect, type Page } from "@playwright/test";
import { limits } from "../lib/contract/limits.ts";
import type { Stack } from "../scripts/test-stack.ts";
import { type CallSandbox, waitUntilDelivered, waitUntilWithheld } from "./drill-report.ts";
import { fillInOnboarding, signUp, syncHarborClock, waitRealTime } from "./harbor.ts";
import { connectByHttp, onboardByHttp, openOfficeByHttp, payByHttp, signInByHttp } from "./http-shortcuts.ts";
import { newPerson, type Person } from "./journey.ts";

export type DrillContext = {
  browser: Browser;
  operator: Page;
  page: Page;
  seller: Person;
  stack: Stack;
  callSandbox: CallSandbox;
  /** Merged sandbox answers so far. */
  answers: Record<string, unknown>;
  /** Pages of started payments, each resolved once Harbor has its answer or gives up. */
  pendingPages: Promise<Page>[];
  restart: (settings: Record<string, string>) => Promise<void>;
};

/** Performs one manual step at Harbor and checks the page. */
export type ManualStep = (context: DrillContext) => Promise<void>;

/**
 * How to run a drill at Harbor: one entry of `manual` per manual step. `notSeen` gives the reason for each rule that
 * Harbor can't trigger; all others must be kept.
 */
export type DrillAtHarbor = { before?: ManualStep; manual: ManualStep[]; notSeen?: Record<string, string> };

/** By drill id; `drills.spec.ts` fails if one is missing. */
export const drillsAtHarbor: Record<string, DrillAtHarbor> = {
  "ordinary-day": {
    manual: [
      ({ page, seller, stack }) => connectByHttp(page, stack.partnerUrl, seller),
      async (context) => {
        await openOfficeByHttp(context.operator, context.stack.partnerUrl);
        await pay(context);
      },
    ],
  },

  // Tokens
  "access-token-ends": { manual: [viewAccounts] },
  "access-token-ends-twice": { manual: [viewAccounts, viewAccounts] },
  "token-refused": { manual: [viewAccounts] },
  "tabs-refresh-together": {
    manual: [
      async ({ page, ...context }) => {
        const secondTab = await page.context().newPage();
        await Promise.all([
          viewAccounts({ ...context, page }),
          viewAccounts({ ...context, page: secondTab }, "/dashboard?tab=2"),
        ]);
        await secondTab.close();
      },
    ],
  },
  "new-token-everywhere": {
    manual: [
      viewAccounts,
      // The seller's page reads again, and the worker reads the payment with the new token.
      async (context) => {
        await pay(context);
        await waitRealTime(limits.checkOverlapMs);
        await viewAccounts(context);
      },
    ],
  },
  "week-passes": {
    // An open page would keep reading with the expired token.
    before: async ({ callSandbox, page }) => {
      await page.goto("about:blank");
      let last: unknown;
      await expect(async () => {
        const previous = last;
        ({ last_event: last } = await callSandbox("GET", "/sandbox/checks"));
        expect(last, "the service is idle").toBe(previous);
      }).toPass({ intervals: [500] });
    },
    manual: [
      async ({ operator, page, seller, stack }) => {
        // Harbor gets a pair before its own clock follows, so it sees the pair as expired. Sign-ins expire, too.
        await operator.goto(`${stack.partnerUrl}/business`);
        await expect(operator.getByRole("heading", { name: "Balance" })).toBeVisible();
        await syncHarborClock(operator);
        await openOfficeByHttp(operator, stack.partnerUrl);
        await signInByHttp(page, stack.partnerUrl, seller);
      },
    ],
  },
  "refresh-token-ends": {
    manual: [
      viewAccounts,
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(page.getByRole("heading", { name: "Harbor's connection has ended" })).toBeVisible();
      },
      async ({ page }) => {
        await page
          .getByRole("main")
          .getByRole("button", { name: /authorize/i })
          .click();
        await page.getByRole("button", { name: "Authorize" }).click();
        await expect(accounts(page)).toBeVisible();
      },
    ],
  },
  "token-endpoint-down": {
    manual: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(page.getByText("Nothing is lost", { exact: false })).toBeVisible();
      },
      // Each view uses up one 503.
      async ({ page }) => {
        await expect(async () => {
          await waitRealTime(retryAfterMs);
          await page.reload();
          await expect(accounts(page)).toBeVisible({ timeout: 500 });
        }).toPass();
      },
    ],
  },

  // Authorization
  "code-comes-twice": {
    manual: [
      async ({ page, stack, ...context }) => {
        await startAuthorizing(page, stack);
        const cameBack = page.waitForRequest((request) => request.url().startsWith(`${stack.partnerUrl}/callback?`));
        await page.getByRole("button", { name: "Authorize" }).click();
        const address = (await cameBack).url();
        await expect(accounts(page)).toBeVisible();
        await page.goBack();
        await page.goto(address);
        await expect(page.getByRole("heading", { name: "We can't match this to a request from you" })).toBeVisible();
        await viewAccounts({ ...context, page, stack });
      },
    ],
  },
  "state-of-another": {
    manual: [(context) => authorizeTwice(context, "We can't match this to a request from you")],
  },
  "issuer-of-another": { manual: [(context) => authorizeTwice(context, /^This response didn't come from/)] },
  "code-of-another": { manual: [(context) => authorizeTwice(context, "That was a different account")] },
  "person-says-no": {
    manual: [
      async (context) => {
        await reauthorize(context);
        await cancel(context.page);
      },
    ],
  },
  "two-visits": {
    manual: [
      async (context) => {
        const { page: first, stack } = await withNewSeller(context);
        const second = await first.context().newPage();
        await Promise.all([startAuthorizing(first, stack), startAuthorizing(second, stack)]);
        for (const page of [second, first]) {
          await page.getByRole("button", { name: "Authorize" }).click();
          await expect(accounts(page)).toBeVisible();
        }
        await first.context().close();
      },
    ],
  },
  "page-left-open": {
    manual: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(accounts(page)).toBeVisible();
        await waitRealTime(limits.checkOverlapMs + 500);
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Authorize again" }).click();
        await expectConsent(page);
        await cancel(page);
      },
    ],
  },

  // Customer endpoint
  "stranger-asks": { manual: [reauthorize] },
  "customer-endpoint-again": {
    manual: [
      async (context) => {
        for (let round = 1; round <= 3; round++) {
          await reauthorize(context);
          await cancel(context.page);
        }
      },
    ],
  },

  // Webhooks
  "webhook-comes-twice": { manual: [pay] },
  "webhook-sent-again": { manual: [pay] },
  "webhook-changed": { manual: [pay] },
  "webhook-reformatted": { manual: [pay] },
  "webhook-old": { manual: [pay] },
  "webhook-of-new-type": { manual: [pay] },
  "webhook-lost": { manual: [pay] },
  "webhooks-withheld": {
    manual: [
      async (context) => {
        await pay(context);
        await waitUntilWithheld(context.callSandbox);
      },
    ],
  },
  "webhooks-out-of-order": { manual: [pay] },
  "secret-rotates": {
    manual: [
      async ({ restart, answers }) => {
        const old = String(answers["old_webhook_secret"]);
        await restart({ PARTNER_WEBHOOK_SECRET: `${answers["webhook_secret"]},${old}` });
      },
      async (context) => {
        await pay(context);
        await waitUntilDelivered(context.callSandbox);
      },
      pay,
    ],
  },

  // Money
  "payment-fails": {
    manual: [(context) => pay(context, { amount: "10.11", outcome: "This payment didn't arrive" })],
  },
  // Harbor resolves these on its own; the journey checks the outcome at the end.
  "payment-sent-again": { manual: [(context) => startPayment(context, "20.00")] },
  "payment-unanswered": { manual: [(context) => startPayment(context, "30.00")] },
  "payment-without-answer-sent-again": { manual: [(context) => startPayment(context, "40.00")] },
  "asked-to-wait": {
    manual: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(page.getByRole("heading", { name: "Connection" })).toBeVisible();
        await expect(accounts(page)).toHaveCount(0);
      },
      async (context) => {
        await expect(async () => {
          await waitRealTime(retryAfterMs);
          await context.page.reload();
          await expect(accounts(context.page)).toBeVisible({ timeout: 500 });
        }).toPass();
      },
    ],
  },
  "service-fails": {
    manual: [
      async ({ operator, stack }) => {
        await operator.goto(`${stack.partnerUrl}/routines`);
        await expect(operator.getByRole("link", { name: "Sales of June" }).first()).toBeVisible();
        await operator.reload();
        await expect(operator.getByRole("link", { name: "Sales of June" }).first()).toBeVisible();
      },
    ],
    notSeen: { "retries-bounded": "Harbor lists payments from its own database, so the failing call is never made." },
  },

  // People
  "person-disconnects": {
    manual: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await page.getByRole("button", { name: "Disconnect" }).click();
        await page.getByRole("button", { name: "Yes, disconnect" }).click();
        await expect(page.getByRole("heading", { name: "You disconnected Harbor" })).toBeVisible();
        await page.reload();
        await expect(page.getByRole("heading", { name: "You disconnected Harbor" })).toBeVisible();
      },
    ],
  },
  "intent-unanswered": {
    manual: [
      async ({ browser, stack }) => {
        const context = await browser.newContext();
        const page = await context.newPage();
        await signUp(page, stack.partnerUrl, newPerson());
        await fillInOnboarding(page, { ssn: "123456789", metadata: ["shop", "4711"] });
        const submit = page.getByRole("button", { name: "Submit" });
        await submit.click();
        await expect(page.getByText("whether your details arrived").first()).toBeVisible();
        await submit.click();
        await expect(page).toHaveURL(/\/onboarding\/status$/);
        await context.close();
      },
    ],
  },
  "sensitive-note": {
    manual: [
      async ({ page, seller, stack }) => {
        const ssn = "123-45-6789";
        await signUp(page, stack.partnerUrl, seller);
        await fillInOnboarding(page, { ssn: "123456789", metadata: ["shop", "4711"] });
        await page.goBack();
        await page.getByText("More notes").click();
        await page.getByRole("button", { name: "Add a pair" }).click();
        const fields = ["Shop number", "Key of pair 1", "Value of pair 1"].map((label) => page.getByLabel(label));
        for (const field of fields) await field.fill(ssn);
        await page.getByRole("button", { name: "Continue", exact: true }).click();
        for (const field of fields) await expect(field).toHaveAccessibleDescription(/Social Security number/);
        for (const [index, text] of ["4711", "note", "by the pier"].entries()) await fields[index]?.fill(text);
        await page.getByRole("button", { name: "Continue", exact: true }).click();
        await page.getByRole("button", { name: "Submit" }).click();
        await expect(page).toHaveURL(/\/onboarding\/status$/);
      },
    ],
  },
};

// Slightly longer than the service's retry-after.
const retryAfterMs = 1100;
const settlementSeconds = 2;

function accounts(page: Page) {
  return page.getByRole("table", { name: "Accounts" });
}

async function viewAccounts({ page, stack }: DrillContext, path = "/dashboard"): Promise<void> {
  await page.goto(`${stack.partnerUrl}${path}`);
  await expect(accounts(page)).toBeVisible();
}

/** Pays, and settles at once by advancing the service's clock. */
async function pay(
  { callSandbox, operator, seller, stack }: DrillContext,
  { amount = "10.00", outcome = "Transfer processed" } = {},
): Promise<void> {
  await operator.goto(await payByHttp(operator, stack.partnerUrl, { seller, amount }));
  await callSandbox("POST", "/sandbox/clock/advance", { seconds: settlementSeconds });
  await expect(operator.getByText(outcome)).toBeVisible();
}

/** Returns once the request has hit its fault. */
async function startPayment(
  { callSandbox, operator, seller, stack, pendingPages }: DrillContext,
  amount: string,
): Promise<void> {
  const page = await operator.context().newPage();
  const paid = payByHttp(page, stack.partnerUrl, { seller, amount });
  pendingPages.push(paid.then((address) => page.goto(address)).then(() => page));
  await expect(async () => {
    // Setting a fault returns the remaining ones.
    const { faults } = await callSandbox("PUT", "/sandbox/faults", {
      operation: "createUserIntent",
      latency_ms: 1,
      times: 1,
    });
    expect(JSON.stringify(faults)).not.toContain("createBookRoutine");
  }).toPass({ intervals: [100] });
}

/** An onboarded seller who hasn't authorized, in a new browser context. */
async function withNewSeller(context: DrillContext): Promise<DrillContext> {
  const page = await (await context.browser.newContext()).newPage();
  const seller = newPerson();
  await onboardByHttp(page, context.stack.partnerUrl, seller);
  return { ...context, page, seller };
}

/** Goes from the status page to the consent page. */
async function startAuthorizing(page: Page, { partnerUrl }: Stack): Promise<void> {
  await page.goto(`${partnerUrl}/onboarding/status`);
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expectConsent(page);
}

/** Like `startAuthorizing`, for a connected person. */
async function reauthorize({ page, stack }: DrillContext): Promise<void> {
  await page.goto(`${stack.partnerUrl}/dashboard`);
  await page.getByRole("button", { name: "Authorize again" }).click();
  await expectConsent(page);
}

/** The first redirect back ends at this heading; the second one connects. */
async function authorizeTwice(context: DrillContext, heading: string | RegExp): Promise<void> {
  const { page, stack } = await withNewSeller(context);
  await startAuthorizing(page, stack);
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page.getByRole("heading", { name: heading })).toBeVisible();
  await startAuthorizing(page, stack);
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(accounts(page)).toBeVisible();
  await page.context().close();
}

function expectConsent(page: Page): Promise<void> {
  return expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
}

async function cancel(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "You didn't authorize Harbor" })).toBeVisible();
}
