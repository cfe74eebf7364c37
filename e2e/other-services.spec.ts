import { type Browser, expect, type Page } from "@playwright/test";
import { type Stack, startStack } from "../scripts/test-stack.ts";
import { checkPage } from "./check-page.ts";
import { connectBusiness } from "./harbor.ts";
import { onboardByHttp, payByHttp, signInAsByHttp } from "./http-shortcuts.ts";
import { type Person, test } from "./journey.ts";
import { type OtherService, startOtherService } from "./other-service.ts";

// Harbor with a different service. See also lib/partner/other-services.test.ts and bare-service.spec.ts.

test("a payment answered without ids is tracked once an operator enters its id", async ({ browser, page, seller }) => {
  const service = await startOtherService();
  const harbor = await startHarbor(service);
  const { partnerUrl } = harbor;
  try {
    await onboardByHttp(page, partnerUrl, seller);
    await page.goto(`${partnerUrl}/onboarding/status`);
    await authorize(page, partnerUrl);

    const operator = await payAsOperator(browser, partnerUrl, seller);
    await expect(operator.getByText("We don't know yet whether this was paid")).toBeVisible();
    await checkPage(operator, "payment-not-understood");
    await operator.getByRole("link", { name: "record it here" }).click();
    await expect(operator.getByRole("heading", { name: "What happened to this payment?" })).toBeVisible();
    await checkPage(operator, "payment-resolve");

    await operator.getByRole("button", { name: "No payment was made" }).click();
    await expect(operator.locator("#confirmed-error")).toBeVisible();
    await operator.getByLabel("Payment ID or transfer ID").fill("an unknown id");
    await operator.getByRole("button", { name: "Look it up" }).click();
    await expect(operator.getByText("We don't know yet")).toHaveCount(0);
    await expect(operator.locator("#service_id-error")).toBeVisible();
    await checkPage(operator, "payment-resolve-wrong-id");
    await operator.getByLabel("Payment ID or transfer ID").fill(service.payments[0]?.id ?? "");
    await operator.getByRole("button", { name: "Look it up" }).click();
    await expect(operator.getByText("Payment completed")).toBeVisible();
    await operator.context().close();
    expect(service.payments.map(({ amount }) => amount)).toEqual([125.5]);
  } finally {
    await harbor.stop();
    await service.stop();
  }
});

test("a seller sees that a payment was returned, and the return behind it", async ({ browser, page, seller }) => {
  const service = await startOtherService();
  const harbor = await startHarbor(service);
  const { partnerUrl } = harbor;
  try {
    await onboardByHttp(page, partnerUrl, seller);
    await page.goto(`${partnerUrl}/onboarding/status`);
    await authorize(page, partnerUrl);
    const operator = await payAsOperator(browser, partnerUrl, seller);
    await operator.context().close();
    await page.goto(`${partnerUrl}/dashboard/payments`);
    await page.getByRole("link", { name: "Sales of June" }).click();
    await expect(page.getByText("This payment has arrived")).toBeVisible();

    await service.returnPayment(service.payments[0]?.id ?? "", "account_closed");
    await page.reload();
    await expect(page.getByText("This payment was returned")).toBeVisible();
    await expect(page.getByRole("main")).toContainText("Reason: The receiving account is closed.");
    await expect(page.getByRole("main")).not.toContainText("Return of");
    await checkPage(page, "seller-payment-returned");
    await page.getByRole("link", { name: "View the return" }).click();
    await expect(page.getByText("This money went back to Harbor")).toBeVisible();
    await checkPage(page, "seller-payment-return");

    await page.goto(`${partnerUrl}/dashboard/payments`);
    const row = page.getByRole("row", { name: "Returned payment" });
    await expect(row).toContainText(/Returned.*[\u2212-]\$125\.50/);
    await checkPage(page, "seller-payments-returned");
    await page.goto(`${partnerUrl}/dashboard/payments/statement`);
    await expect(page.getByRole("definition").last()).toHaveText("$0.00");
  } finally {
    await harbor.stop();
    await service.stop();
  }
});

async function authorize(page: Page, partnerUrl: string): Promise<void> {
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${partnerUrl}/dashboard`);
}

/** Pays the seller as the operator, and returns the payment's page. */
async function payAsOperator(browser: Browser, partnerUrl: string, seller: Person): Promise<Page> {
  const office = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const operator = await office.newPage();
  await signInAsByHttp(operator, partnerUrl, /operator/);
  await connectBusiness(operator, partnerUrl);
  await operator.goto(await payByHttp(operator, partnerUrl, { seller, amount: "125.50" }));
  return operator;
}

async function startHarbor(service: OtherService): Promise<Stack> {
  const postgresUrl = process.env["TEST_POSTGRES_URL"] ?? "";
  const harbor = await startStack({
    postgresUrl,
    apart: false,
    only: ["partner", "partner-worker"],
    settings: { PARTNER_SERVICE_BASE_URL: service.url, PARTNER_SERVICE_AUTH_URL: service.url },
  });
  service.connect(harbor.partnerUrl);
  return harbor;
}
