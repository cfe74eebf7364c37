import { type Browser, expect, type Page } from "@playwright/test";
import type { Stack } from "../scripts/test-stack.ts";
import {
  balanceOn,
  connectBusiness,
  fillInPayment,
  onboard,
  openDeveloperData,
  type PageCheck,
  signInAs,
  signUp,
} from "./harbor.ts";
import { type Person, test } from "./journey.ts";
import { readLedgerSumCents } from "./service-api.ts";

export type Walk = {
  browser: Browser;
  page: Page;
  seller: Person;
  stack: Stack;
  check: PageCheck;
};

/** From sign-up to a processed transfer: the seller on a phone, the operator on a desktop; `check` gets each page. */
export async function walkFromSignUpToPayment({ browser, page, seller, stack, check }: Walk): Promise<void> {
  await page.goto(stack.partnerUrl);
  await check(page, "home");

  await test.step("the seller signs up and onboards", async () => {
    await signUp(page, stack.partnerUrl, seller, check);
    await onboard(page, { ssn: "123456789", metadata: ["shop", "Quay & Sons"] }, check);
  });

  await test.step("the decision arrives by webhook and updates the page", async () => {
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
    await check(page, "approved");
  });

  await test.step("trusted: the service asks for consent without a code", async () => {
    await page.getByRole("button", { name: "Continue to authorize" }).click();
    await expect(page).toHaveURL((url) => url.origin === stack.authUrl && url.search === "");
    await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Verification code" })).toHaveCount(0);
    await check(page, "consent");
    await page.getByRole("button", { name: "Authorize" }).click();
  });

  await test.step("the dashboard shows the record, metadata, and account", async () => {
    await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
    await openDeveloperData(page);
    await expect(page.getByText(seller.email)).toBeVisible();
    await expect(page.getByText("Quay & Sons")).toBeVisible();
    await expect(balanceOn(page)).toContainText("$0.00");
    await check(page, "dashboard");
  });

  const office = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const operator = await office.newPage();
  await test.step("the operator connects the business the same way", async () => {
    await signInAs(operator, stack.partnerUrl, /operator/);
    await connectBusiness(operator, stack.partnerUrl);
    await check(operator, "business");
  });

  await test.step("the operator pays the seller and watches it arrive", async () => {
    await fillInPayment(operator, stack.partnerUrl, { seller, amount: "125.50" });
    await check(operator, "new-routine");
    await operator.getByRole("button", { name: "Review" }).click();
    await operator.getByRole("button", { name: "Confirm and pay" }).click();
    await expect(operator).toHaveURL(/\/routines\/[0-9a-f-]{36}$/);
    await expect(operator.getByText("Payment active")).toBeVisible();
    await operator.evaluate(() => Object.assign(window, { isSamePage: true }));
    await expect(operator.getByText("Transfer processed")).toBeVisible();
    await expect(operator.getByText("Payment completed")).toBeVisible();
    expect(await operator.evaluate(() => "isSamePage" in window)).toBe(true);
    await check(operator, "routine");
    await operator.getByRole("link", { name: "Payments" }).first().click();
    await expect(operator.getByRole("link", { name: "Sales of June" }).first()).toBeVisible();
    await check(operator, "routines");
  });

  await test.step("the seller's balance updates live, and the ledger sums to zero", async () => {
    await expect(balanceOn(page)).toContainText("$125.50");
    await expect(page.getByText("Sales of June", { exact: true })).toBeVisible();
    await check(page, "dashboard-paid");
    expect(await readLedgerSumCents(stack.serviceUrl)).toBe(0);
  });
  await office.close();
}
