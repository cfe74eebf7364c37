import { type Browser, expect, type Page } from "@playwright/test";
import { type Stack, startStack } from "../scripts/test-stack.ts";
import { onboardByHttp, payByHttp, signInAsByHttp } from "./by-http.ts";
import { connectBusiness, openDeveloperData } from "./harbor.ts";
import { type Person, test } from "./journey.ts";
import { lookAt } from "./look.ts";
import { type OtherService, startOtherService } from "./other-service.ts";

// Harbor alone, in front of services that speak the published interface and differ from ours where it leaves that open:
// a seller is onboarded, authorizes and is paid, and the money is counted at the service.

type Row = {
  what: string;
  settings?: Record<string, string>;
  apply: (service: OtherService) => void;
  /** What the seller sees before they go on to authorize. */
  offer?: string;
  /** Once the seller is connected. */
  onceConnected?: (service: OtherService, page: Page) => Promise<void>;
};

const rows: Row[] = [
  {
    what: "answers an intent as its id alone",
    apply: (service) => service.change("POST /v1/user_intent", asIdAlone),
    offer: "You are approved",
  },
  {
    what: "has no way to read an intent",
    apply: (service) => service.change("GET /v1/user_intent/{id}", () => ({ status: 404 })),
    offer: "Please continue at our payment service",
  },
  {
    what: "fails to list the seller's accounts when they come back",
    apply: (service) => {
      let failures = 0;
      service.change("GET /v1/accounts", (answer) => (failures++ < 3 ? { status: 500 } : answer));
    },
  },
  {
    what: "brings no state back",
    settings: { PARTNER_SERVICE_FEATURES: "pkce,revocation,replays,console" },
    apply: (service) => service.forgetState(),
  },
  {
    what: "has other words for users and accounts that are in order",
    apply: (service) => {
      service.change("GET /v1/user", changed({ status: "monitored", user_type: "individual" }));
      service.change("GET /v1/accounts", ({ status, body }) => ({
        status,
        body: { accounts: accountsOf(body).map((account) => ({ ...account, status: "enabled" })) },
      }));
    },
  },
  {
    what: "says 403 of a token that has expired",
    apply: () => {},
    onceConnected: async (service, page) => {
      service.expireAccessTokens();
      await page.reload();
    },
  },
];

for (const { what, settings = {}, apply, offer, onceConnected } of rows) {
  test(`a service that ${what} pays once`, async ({ browser, page, seller }) => {
    test.setTimeout(180_000);
    await beside(settings, async (service, partnerUrl) => {
      apply(service);
      await onboardByHttp(page, partnerUrl, seller);
      await page.goto(`${partnerUrl}/onboarding/status`);
      await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
      if (offer) await expect(page.getByRole("heading", { name: offer })).toBeVisible();
      await authorize(page, partnerUrl);
      await onceConnected?.(service, page);
      await openDeveloperData(page);
      await expect(page.getByText(seller.email)).toBeVisible();

      const operator = await payAsOperator(browser, partnerUrl, seller);
      await expect(operator.getByText("Transfer processed")).toBeVisible({ timeout: 60_000 });
      await operator.context().close();
      expect(service.payments.map(({ amount }) => amount)).toEqual([125.5]);
    });
  });
}

test("a payment of which a service tells nothing is followed once an operator has told its id", async ({
  browser,
  page,
  seller,
}) => {
  test.setTimeout(240_000);
  await beside({}, async (service, partnerUrl) => {
    service.change("POST /v1/routines/book", () => ({ status: 201, body: {} }));
    await onboardByHttp(page, partnerUrl, seller);
    await page.goto(`${partnerUrl}/onboarding/status`);
    await authorize(page, partnerUrl);

    const operator = await payAsOperator(browser, partnerUrl, seller);
    await expect(operator.getByText("We don't know yet whether this was paid")).toBeVisible();
    await lookAt(operator, "payment-not-understood");
    await operator.getByRole("link", { name: "record it here" }).click();
    await expect(operator.getByRole("heading", { name: "What happened to this payment?" })).toBeVisible();
    await lookAt(operator, "payment-resolve");

    await operator.getByRole("button", { name: "No payment was made" }).click();
    await expect(operator.locator("#confirmed-error")).toBeVisible();
    await operator.getByLabel("Payment ID or transfer ID").fill("an id that nobody has");
    await operator.getByRole("button", { name: "Look it up" }).click();
    await expect(operator.getByText("We don't know yet")).toHaveCount(0);
    await expect(operator.locator("#service_id-error")).toBeVisible();
    await lookAt(operator, "payment-resolve-wrong-id");
    await operator.getByLabel("Payment ID or transfer ID").fill(service.payments[0]?.id ?? "");
    await operator.getByRole("button", { name: "Look it up" }).click();
    await expect(operator.getByText("Payment completed")).toBeVisible({ timeout: 60_000 });
    await operator.context().close();
    expect(service.payments.map(({ amount }) => amount)).toEqual([125.5]);
  });
});

async function authorize(page: Page, partnerUrl: string): Promise<void> {
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${partnerUrl}/dashboard`);
}

/** Pays the seller in a browser of the operator's own, and returns the page that it leads to. */
async function payAsOperator(browser: Browser, partnerUrl: string, seller: Person): Promise<Page> {
  const office = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const operator = await office.newPage();
  await signInAsByHttp(operator, partnerUrl, /operator/);
  await connectBusiness(operator, partnerUrl);
  await operator.goto(await payByHttp(operator, partnerUrl, { seller, amount: "125.50" }));
  return operator;
}

/** Runs `journey` with another service and a Harbor in front of it, and ends both. */
async function beside(
  settings: Record<string, string>,
  journey: (service: OtherService, partnerUrl: string) => Promise<void>,
): Promise<void> {
  const service = await startOtherService();
  const harbor = await startHarbor(service, settings);
  try {
    await journey(service, harbor.partnerUrl);
  } finally {
    await harbor.stop();
    await service.stop();
  }
}

async function startHarbor(service: OtherService, settings: Record<string, string>): Promise<Stack> {
  const postgresUrl = process.env["TEST_POSTGRES_URL"] ?? "";
  const addresses = { PARTNER_SERVICE_BASE_URL: service.url, PARTNER_SERVICE_AUTH_URL: service.url };
  const harbor = await startStack({
    postgresUrl,
    apart: false,
    only: ["partner", "partner-worker"],
    settings: { ...addresses, ...settings },
  });
  service.serve(harbor.partnerUrl);
  return harbor;
}

type Answered = { status: number; body?: unknown };

function asIdAlone({ status, body }: Answered): Answered {
  return { status, body: { id: (body as { id: string }).id } };
}

function changed(fields: Record<string, unknown>) {
  return ({ status, body }: Answered): Answered => ({
    status,
    body: status === 200 ? { ...(body as object), ...fields } : body,
  });
}

function accountsOf(body: unknown): object[] {
  return (body as { accounts?: object[] } | undefined)?.accounts ?? [];
}
