import { expect, type Locator } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { demoSandbox } from "./demo-sandbox.ts";
import { fillInOnboarding } from "./harbor.ts";
import { onboardByHttp, signUpByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";

// The service is down at each step. No data is lost, no page states what it doesn't know, and a retry works.

test("an outage at each seller step is shown, and the step works once it's over", async ({ page, seller, stack }) => {
  const sandbox = demoSandbox(stack.serviceUrl);
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);

  await sandbox.failNext("createUserIntent", 10);
  await fillInOnboarding(page, { ssn: "123456789", metadata: ["shop", "Quay & Sons"] });
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByText("whether your details arrived").first()).toBeVisible();
  await checkPage(page, "outage-onboarding");
  await sandbox.endFaults();
  const go = page.getByRole("button", { name: "Continue to authorize" });
  await clickUntil(page.getByRole("button", { name: "Submit" }), go);

  await sandbox.failNext("verifyPartnerIdentity", 10);
  await go.click();
  await expect(page.getByText("Please try again in a minute", { exact: false }).first()).toBeVisible();
  await checkPage(page, "outage-authorize");
  await sandbox.endFaults();
  const authorize = page.getByRole("button", { name: "Authorize", exact: true });
  await clickUntil(go, authorize);

  await sandbox.failNext("issueTokens", 10);
  await authorize.click();
  await expect(page).toHaveURL(/\/callback\/problem\?reason=(not_now|unavailable)$/);
  await checkPage(page, "outage-callback");
  await sandbox.endFaults();
  await page.getByRole("main").getByRole("link").first().click();
  await go.click();
  await authorize.click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);

  await sandbox.failNext("readUser", 10);
  await page.reload();
  await expect(page.getByRole("link", { name: "Try again" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Accounts" })).toHaveCount(0);
  await checkPage(page, "outage-dashboard");
  await sandbox.endFaults();
  await clickUntil(page.getByRole("link", { name: "Try again" }), page.getByRole("table", { name: "Accounts" }));

  await sandbox.failNext("listTransfers", 10);
  await page.reload();
  await expect(page.getByText("We can't load your payments", { exact: false })).toBeVisible();
  await sandbox.endFaults();
  // Without a reload, and sooner than a page with nothing to wait for reads again.
  await expect(page.getByText("No payments yet")).toBeVisible({ timeout: 30_000 });
});

for (const kind of ["drop", "duplicate"] as const) {
  test(`the decision reaches the page although each webhook is ${kind === "drop" ? "lost" : "sent twice"}`, async ({
    page,
    seller,
    stack,
  }) => {
    const sandbox = demoSandbox(stack.serviceUrl);
    await sandbox.faultNextWebhooks(kind, 20);
    await onboardByHttp(page, stack.partnerUrl, seller);
    await page.goto(`${stack.partnerUrl}/onboarding/status`);
    await expect(page.getByRole("button", { name: "Continue to authorize" })).toHaveCount(1);
    expect(await sandbox.countIntents(seller.phone)).toBe(1);
  });
}

test("a second click on Submit creates no second intent", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);
  await fillInOnboarding(page, { ssn: "123456789", metadata: ["shop", "Quay & Sons"] });
  await page.getByRole("button", { name: "Submit" }).dblclick();
  await expect(page).toHaveURL(/\/onboarding\/status$/);
  await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
  expect(await demoSandbox(stack.serviceUrl).countIntents(seller.phone)).toBe(1);
});

/** Clicks until `next` appears. During retry-after, Harbor repeats its answer without calling the service. */
async function clickUntil(control: Locator, next: Locator): Promise<void> {
  await expect(async () => {
    if (!(await next.isVisible())) await control.click({ timeout: 2_000 });
    await expect(next).toBeVisible({ timeout: 2_000 });
  }).toPass({ intervals: [500] });
}
