import { type Browser, expect, type Page } from "@playwright/test";
import { limits } from "../lib/contract/limits.ts";
import type { Stack } from "../scripts/test-stack.ts";
import { connectByHttp, onboardByHttp, openOfficeByHttp, payByHttp } from "./by-http.ts";
import { bringHarborToTheService, fillInOnboarding, letTimePass, signUp } from "./harbor.ts";
import { newPerson, type Person } from "./journey.ts";

/** A call of the sandbox by the client that Harbor is in this journey; throws when it is refused. */
export type AskSandbox = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** Who takes part in a drill: a seller at their page, and an operator at theirs. */
export type Hands = {
  browser: Browser;
  operator: Page;
  page: Page;
  seller: Person;
  stack: Stack;
  ask: AskSandbox;
  /** What the sandbox answered last. */
  told: Record<string, unknown>;
  /** Payments that were begun, each with the page that will show it once Harbor has its answer or has given up. */
  underWay: Promise<Page>[];
  /** Restarts Harbor with other settings. */
  restart: (settings: Record<string, string>) => Promise<void>;
};

/** The steps at Harbor for one "do" of a drill, and what the page then shows. */
export type Does = (hands: Hands) => Promise<void>;

/**
 * How a drill is lived through at Harbor: one entry of `does` for each of its "do" steps, and `before` ahead of the first step.
 * `notSeen`: those of its rules that Harbor gives no occasion to judge, each with the reason; all others of the drill must be
 * kept.
 */
export type DrillAtHarbor = { before?: Does; does: Does[]; notSeen?: Record<string, string> };

/** Every drill of the service, by its id. `drills.spec.ts` fails when one is missing here. */
export const drillsAtHarbor: Record<string, DrillAtHarbor> = {
  "ordinary-day": {
    does: [
      ({ page, seller, stack }) => connectByHttp(page, stack.partnerUrl, seller),
      async (hands) => {
        await openOfficeByHttp(hands.operator, hands.stack.partnerUrl);
        await pay(hands);
      },
    ],
  },

  // Tokens
  "access-token-ends": { does: [look] },
  "token-refused": { does: [look] },
  "tabs-refresh-together": {
    does: [
      async ({ page, ...hands }) => {
        const other = await page.context().newPage();
        await Promise.all([look({ ...hands, page }), look({ ...hands, page: other })]);
        await other.close();
      },
    ],
  },
  "new-token-everywhere": {
    does: [
      look,
      // The page of the seller reads again, and the worker reads of the payment with the token that the page brought.
      async (hands) => {
        await pay(hands);
        await letTimePass(limits.checkOverlapMs);
        await look(hands);
      },
    ],
  },
  "week-passes": {
    // An open page reads on, with a token that ends by the jump.
    before: async ({ ask, page }) => {
      await page.goto("about:blank");
      let last: unknown;
      await expect(async () => {
        const known = last;
        ({ last_event: last } = await ask("GET", "/sandbox/checks"));
        expect(last, "nobody asks the service any more").toBe(known);
      }).toPass({ intervals: [500] });
    },
    does: [
      async ({ operator, stack }) => {
        // Harbor gets a pair by the moved clock before its own follows, and takes it for ended then.
        await operator.goto(`${stack.partnerUrl}/business`);
        await expect(operator.getByRole("heading", { name: "Balance" })).toBeVisible();
        await bringHarborToTheService(operator);
      },
    ],
  },
  "refresh-token-ends": {
    does: [
      look,
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(page.getByRole("heading", { name: "Harbor isn't connected" })).toBeVisible();
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
    does: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(page.getByText("Nothing is lost", { exact: false })).toBeVisible();
      },
      // Each look is answered by one more 503, until there are none left.
      async ({ page }) => {
        await expect(async () => {
          await letTimePass(retryAfterMs);
          await page.reload();
          await expect(accounts(page)).toBeVisible({ timeout: 500 });
        }).toPass();
      },
    ],
  },

  // The way through the authorization pages
  "code-comes-twice": {
    does: [
      async ({ page, stack, ...hands }) => {
        await setOut(page, stack);
        const cameBack = page.waitForRequest((request) => request.url().startsWith(`${stack.partnerUrl}/callback?`));
        await page.getByRole("button", { name: "Authorize" }).click();
        const address = (await cameBack).url();
        await expect(accounts(page)).toBeVisible();
        await page.goBack();
        await page.goto(address);
        await expect(page.getByRole("heading", { name: "We can't match this to a request from you" })).toBeVisible();
        await look({ ...hands, page, stack });
      },
    ],
  },
  "person-says-no": {
    does: [
      async (hands) => {
        await setOutAgain(hands);
        await sayNo(hands.page);
      },
    ],
  },
  "two-visits": {
    does: [
      async (hands) => {
        const { page: first, stack } = await withNewSeller(hands);
        const second = await first.context().newPage();
        await Promise.all([setOut(first, stack), setOut(second, stack)]);
        for (const page of [second, first]) {
          await page.getByRole("button", { name: "Authorize" }).click();
          await expect(accounts(page)).toBeVisible();
        }
        await first.context().close();
      },
    ],
  },
  "page-left-open": {
    does: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(accounts(page)).toBeVisible();
        await letTimePass(limits.checkOverlapMs + 500);
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Authorize again" }).click();
        await expectConsent(page);
        await sayNo(page);
      },
    ],
  },

  // What the service asks Harbor
  "stranger-asks": { does: [setOutAgain] },
  "customer-endpoint-again": {
    does: [
      async (hands) => {
        for (let round = 1; round <= 3; round++) {
          // Whoever comes back sooner than a person reads is taken for a loop.
          if (round > 1) await letTimePass(limits.checkAtOnceMs);
          await setOutAgain(hands);
          await sayNo(hands.page);
        }
      },
    ],
  },

  // Webhooks
  "webhook-comes-twice": { does: [pay] },
  "webhook-sent-again": { does: [pay] },
  "webhook-changed": { does: [pay] },
  "webhook-old": { does: [pay] },
  "webhook-of-new-type": { does: [pay] },
  "webhook-lost": { does: [pay] },
  "webhooks-out-of-order": { does: [pay] },
  "secret-rotates": {
    does: [
      async ({ restart, told }) => {
        const old = String(told["old_webhook_secret"]);
        await restart({ PARTNER_WEBHOOK_SECRET: `${told["webhook_secret"]},${old}` });
      },
      pay,
    ],
  },

  // Money
  "payment-fails": {
    does: [(hands) => pay(hands, { amount: "10.11", ends: "This payment didn't arrive" })],
  },
  // Nothing is pressed again: Harbor finds out by itself. What becomes of the three is seen by the journey, at the end.
  "payment-sent-again": { does: [(hands) => beginToPay(hands, "20.00")] },
  "payment-unanswered": { does: [(hands) => beginToPay(hands, "30.00")] },
  "payment-without-answer-sent-again": { does: [(hands) => beginToPay(hands, "40.00")] },
  "asked-to-wait": {
    does: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await expect(page.getByRole("heading", { name: "Connection" })).toBeVisible();
        await expect(accounts(page)).toHaveCount(0);
      },
      async (hands) => {
        await expect(async () => {
          await letTimePass(retryAfterMs);
          await hands.page.reload();
          await expect(accounts(hands.page)).toBeVisible({ timeout: 500 });
        }).toPass();
      },
    ],
  },
  "service-fails": {
    does: [
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
    does: [
      async ({ page, stack }) => {
        await page.goto(`${stack.partnerUrl}/dashboard`);
        await page.getByRole("button", { name: "Disconnect" }).click();
        await page.getByRole("button", { name: "Yes, disconnect" }).click();
        await expect(page.getByRole("heading", { name: "Harbor isn't connected" })).toBeVisible();
        await page.reload();
        await expect(page.getByRole("heading", { name: "Harbor isn't connected" })).toBeVisible();
      },
    ],
  },
  "sensitive-note": {
    does: [
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

// As long as the service asks to wait, and a little; and after how long it settles a payment.
const retryAfterMs = 1100;
const settlementSeconds = 2;

function accounts(page: Page) {
  return page.getByRole("table", { name: "Accounts" });
}

async function look({ page, stack }: Hands): Promise<void> {
  await page.goto(`${stack.partnerUrl}/dashboard`);
  await expect(accounts(page)).toBeVisible();
}

/** The payment is settled at once, by the service's clock. */
async function pay(
  { ask, operator, seller, stack }: Hands,
  { amount = "10.00", ends = "Transfer processed" } = {},
): Promise<void> {
  await operator.goto(await payByHttp(operator, stack.partnerUrl, { seller, amount }));
  await ask("POST", "/sandbox/clock/advance", { seconds: settlementSeconds });
  await expect(operator.getByText(ends)).toBeVisible({ timeout: 30_000 });
}

/** Returns once the request has met the fault that is arranged for it. */
async function beginToPay({ ask, operator, seller, stack, underWay }: Hands, amount: string): Promise<void> {
  const page = await operator.context().newPage();
  const paid = payByHttp(page, stack.partnerUrl, { seller, amount });
  underWay.push(paid.then((address) => page.goto(address)).then(() => page));
  await expect(async () => {
    // Whoever sets a fault is told which are left.
    const { faults } = await ask("PUT", "/sandbox/faults", { operation: "createUserIntent", latency_ms: 1, times: 1 });
    expect(JSON.stringify(faults)).not.toContain("createBookRoutine");
  }).toPass({ intervals: [100] });
}

/** Somebody who is onboarded and has not authorized yet, in a browser of their own. */
async function withNewSeller(hands: Hands): Promise<Hands> {
  const context = await hands.browser.newContext();
  const page = await context.newPage();
  const seller = newPerson();
  await onboardByHttp(page, hands.stack.partnerUrl, seller);
  return { ...hands, page, seller };
}

/** From the page that offers it to the page of the service that asks for consent. */
async function setOut(page: Page, { partnerUrl }: Stack): Promise<void> {
  await page.goto(`${partnerUrl}/onboarding/status`);
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expectConsent(page);
}

/** The same of somebody who is connected. */
async function setOutAgain({ page, stack }: Hands): Promise<void> {
  await page.goto(`${stack.partnerUrl}/dashboard`);
  await page.getByRole("button", { name: "Authorize again" }).click();
  await expectConsent(page);
}

function expectConsent(page: Page): Promise<void> {
  return expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
}

async function sayNo(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "You didn't authorize Harbor" })).toBeVisible();
}
