import { expect } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { balanceOn, fillInPayment } from "./harbor.ts";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";
import { callService, demoCredentials } from "./service-api.ts";

const overdraft = "999999.00";

test("an overdraft is refused before the review, and by the service without scripts", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const operator = await (await browser.newContext()).newPage();
  await openOfficeByHttp(operator, partnerUrl);
  await fillInPayment(operator, partnerUrl, { seller, amount: overdraft });
  await operator.getByRole("button", { name: "Review" }).click();
  await expect(
    operator.getByRole("alert").getByRole("link", { name: /^This account has \$[\d,.]+ available/ }),
  ).toBeVisible();
  await expect(operator.getByRole("dialog")).toHaveCount(0);
  await checkPage(operator, "payment-too-much");

  const withoutScripts = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await operator.context().storageState(),
  });
  const plain = await withoutScripts.newPage();
  await fillInPayment(plain, partnerUrl, { seller, amount: overdraft });
  await plain.getByLabel(/I've checked this payment/).check();
  await plain.getByRole("button", { name: "Pay", exact: true }).click();
  await expect(plain.getByText("The account doesn't have this much available.").first()).toBeVisible();
  await withoutScripts.close();

  await page.goto(`${partnerUrl}/dashboard`);
  await expect(balanceOn(page)).toContainText("$0.00");
  await operator.context().close();
});

test("both sides see a cancelled transfer, and it can be paid again", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl, serviceUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const operator = await (await browser.newContext()).newPage();
  await openOfficeByHttp(operator, partnerUrl);
  // These cents keep the payment pending.
  await operator.goto(await payByHttp(operator, partnerUrl, { seller, amount: "40.12" }));
  const transferId = await operator
    .getByRole("button", { name: "Copy transfer id" })
    .locator("..")
    .locator("code")
    .textContent();
  await callService(serviceUrl, {
    authorization: demoCredentials(),
    method: "POST",
    path: `/sandbox/transfers/${transferId}/status`,
    body: { status: "cancelled" },
  });
  await expect(operator.getByText("This payment didn't arrive")).toBeVisible();
  await checkPage(operator, "payment-cancelled");
  await page.goto(`${partnerUrl}/dashboard`);
  await expect(page.getByRole("row", { name: /Sales of June/ })).toContainText("Canceled");
  await expect(balanceOn(page)).toContainText("$0.00");
  await operator.getByRole("link", { name: "pay it again" }).click();
  await expect(operator.getByLabel("Amount in US dollars")).toHaveValue("40.12");
  await operator.context().close();
});
