import { expect } from "@playwright/test";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";

test("after signing out, no URL, Back, or other tab shows the person's data", async ({ page, seller, stack }) => {
  await connectByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/dashboard`);
  const secondTab = await page.context().newPage();
  await secondTab.goto(`${stack.partnerUrl}/dashboard`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("link", { name: "Sign in", exact: true })).toBeVisible();
  await page.goto(`${stack.partnerUrl}/dashboard`);
  await expect(page).toHaveURL(/\/sign-in\?return_to=%2Fdashboard$/);
  await page.goBack();
  await page.reload();
  await expect(page.getByText(seller.email)).toHaveCount(0);
  // It reloads by itself.
  await expect(secondTab).toHaveURL(/\/sign-in/);
});

test("pages of another person or role are refused", async ({ browser, page, seller, stack }) => {
  await connectByHttp(page, stack.partnerUrl, seller);
  const office = await browser.newContext();
  const operator = await office.newPage();
  await openOfficeByHttp(operator, stack.partnerUrl);
  const payment = new URL(await payByHttp(operator, stack.partnerUrl, { seller, amount: "10.00" })).pathname;

  for (const path of [payment, `${payment}/resolve`, "/routines", "/routines/new", "/business"]) {
    await page.goto(stack.partnerUrl + path);
    await expect(page.getByText("Sales of June"), path).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 }), path).toHaveText("We can't find this page");
  }
  await operator.goto(`${stack.partnerUrl}/dashboard`);
  await expect(operator.getByRole("heading", { level: 1 })).toHaveText("We can't find this page");
  await office.close();

  const stranger = newPerson();
  const elsewhere = await browser.newContext();
  const strangerPage = await elsewhere.newPage();
  await connectByHttp(strangerPage, stack.partnerUrl, stranger);
  await strangerPage.goto(`${stack.partnerUrl}/dashboard`);
  await expect(strangerPage.getByRole("table", { name: "Accounts" })).toBeVisible();
  await expect(strangerPage.getByText(seller.email)).toHaveCount(0);
  await elsewhere.close();
});
