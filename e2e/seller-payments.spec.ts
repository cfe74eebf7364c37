import { expect } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { connectByHttp, payByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";
import { openOffice } from "./live-page.ts";
import { callService, demoCredentials } from "./service-api.ts";

const pageSize = 20;

test("a seller pages through all payments, and follows one until it arrives", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl, serviceUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  await page.goto(`${partnerUrl}/dashboard`);
  await expect(page.getByText(/Moving it to your bank or a card isn't part of this demo/)).toBeVisible();
  await page.getByRole("link", { name: "All payments" }).click();
  await expect(page.getByText("No payments yet")).toBeVisible();
  await checkPage(page, "seller-payments-none");

  const operator = await openOffice(browser, partnerUrl);
  await payByHttp(operator, partnerUrl, { seller, amount: "18.11" });
  for (let cents = 0; cents < pageSize; cents += 1) {
    await payByHttp(operator, partnerUrl, { seller, amount: `1${20 + cents}.50` });
  }
  await payByHttp(operator, partnerUrl, { seller, amount: "40.12" });
  await operator.context().close();

  const rows = page.getByRole("table", { name: "Payments" }).getByRole("row").filter({ hasNotText: "Status" });
  await test.step("the list is paginated", async () => {
    await page.goto(`${partnerUrl}/dashboard/payments`);
    await expect(rows).toHaveCount(pageSize);
    await checkPage(page, "seller-payments");
    await page.getByRole("link", { name: "Older" }).click();
    await expect(rows).toHaveCount(2);
    await page.getByRole("link", { name: "Sales of June" }).last().click();
    await expect(page.getByText("This payment didn't arrive")).toBeVisible();
    await checkPage(page, "seller-payment-failed");
  });

  await test.step("a pending payment's page says what comes next, and updates when it arrives", async () => {
    await page.goto(`${partnerUrl}/dashboard/payments`);
    await page.getByRole("link", { name: "Sales of June" }).first().click();
    await expect(page.getByText("This payment is on its way")).toBeVisible();
    await checkPage(page, "seller-payment-pending");
    const transferId = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
    await callService(serviceUrl, {
      authorization: demoCredentials(),
      method: "POST",
      path: `/sandbox/transfers/${transferId}/status`,
      body: { status: "processed" },
    });
    await expect(page.getByText("This payment has arrived")).toBeVisible();
    await checkPage(page, "seller-payment");
  });

  await test.step("the weeks and the statement count what arrived", async () => {
    await page.goto(`${partnerUrl}/dashboard/payments`);
    const weeks = page.getByRole("listitem").filter({ hasText: /^Week of / });
    await expect(weeks).toHaveCount(8);
    const total = "$2,640.12";
    await expect(weeks.last()).toContainText(total);
    await page.getByRole("link", { name: "Statement" }).click();
    await expect(page.getByRole("table", { name: "Statement" }).getByRole("row")).toHaveCount(23);
    await expect(page.getByRole("definition").last()).toHaveText(total);
    await checkPage(page, "seller-statement");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download (CSV)" }).click();
    expect((await download).suggestedFilename()).toBe("payments.csv");
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("contentinfo")).toBeHidden();
    await expect(page.getByRole("button", { name: "Print" })).toBeHidden();
    await page.emulateMedia({ media: "screen" });
    await page.goBack();
    await page.getByRole("link", { name: "Sales of June" }).first().click();
    await expect(page.getByText("This payment has arrived")).toBeVisible();
  });

  await test.step("another seller can't open it", async () => {
    const otherSeller = await (await browser.newContext()).newPage();
    await connectByHttp(otherSeller, partnerUrl, newPerson());
    const path = new URL(page.url()).pathname;
    expect((await otherSeller.goto(partnerUrl + path))?.status()).toBe(404);
    expect((await otherSeller.request.get(`${partnerUrl}${path}/state`)).status()).toBe(404);
    await otherSeller.context().close();
  });

  await test.step("after disconnecting, the dashboard says who did it", async () => {
    await page.goto(`${partnerUrl}/dashboard`);
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("button", { name: "Yes, disconnect" }).click();
    await expect(page.getByRole("heading", { name: "You disconnected Harbor" })).toBeVisible();
    await checkPage(page, "seller-disconnected");
    await page.goto(`${partnerUrl}/dashboard/payments`);
    await expect(page.getByText("Harbor isn't connected to your account")).toBeVisible();
  });
});
