import { expect, type Page } from "@playwright/test";
import { demoSandbox } from "./demo-sandbox.ts";
import { fillInOnboarding, fillInPayment } from "./harbor.ts";
import { connectByHttp, openOfficeByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";

// Back and reload at every step: nothing is submitted twice, and each step still works.

test("seller: each step survives a reload, and Back never reopens a finished one", async ({ page, seller, stack }) => {
  const { partnerUrl } = stack;
  await page.goto(partnerUrl);
  await page.getByRole("link", { name: "Sign up as a seller" }).click();
  await expectHeading(page, "Sell on Harbor");
  await page.reload();
  await page.getByLabel("First name").fill(seller.firstName);
  await page.getByLabel("Last name").fill(seller.lastName);
  await page.getByLabel("Email").fill(seller.email);
  await page.getByLabel("Mobile phone").fill(seller.phone);
  await page.getByLabel("Password").fill(seller.password);
  await page.getByRole("button", { name: "Continue" }).click();

  await test.step("the codes", async () => {
    await expectHeading(page, "Check your email");
    await page.reload();
    await expectHeading(page, "Check your email");
    await page.goBack();
    await expectHeading(page, "Sell on Harbor");
    await page.goForward();
    await expectHeading(page, "Check your email");
    await page.getByRole("button", { name: "Enter the code" }).click();
    await expectHeading(page, "Check your phone");
    await page.reload();
    await expectHeading(page, "Check your phone");
    await page.goBack();
    await expectHeading(page, "Sell on Harbor");
    await page.goForward();
    await expectHeading(page, "Check your phone");
    await page.getByRole("button", { name: "Enter the code" }).click();
    await expect(page).toHaveURL(`${partnerUrl}/onboarding`);
    await page.goBack();
    await expect(page.getByRole("textbox", { name: "Verification code" })).toHaveCount(0);
  });

  await test.step("the questions and the review", async () => {
    await page.goto(`${partnerUrl}/onboarding`);
    await page.reload();
    await fillInOnboarding(page, { ssn: "123456789", metadata: ["shop", "4711"] });
    await page.goBack();
    await expectStep(page, "Your shop");
    await page.goForward();
    await expectStep(page, "Review");
    await page.getByRole("button", { name: "Submit" }).click();
    await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
    await page.reload();
    await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
    await page.goBack();
    await page.reload();
    await expect(page).toHaveURL(`${partnerUrl}/onboarding/status`);
    expect(await demoSandbox(stack.serviceUrl).countIntents(seller.phone)).toBe(1);
  });

  await test.step("consent", async () => {
    await page.getByRole("button", { name: "Continue to authorize" }).dblclick();
    await expectHeading(page, "Connect Harbor to your Plainbook account?");
    for (const name of ["Authorize", "Cancel"]) {
      expect(await page.getByRole("button", { name }).evaluate(isHitAgain), name).toEqual([false, true]);
    }
    await page.reload();
    await expectHeading(page, "Connect Harbor to your Plainbook account?");
    await page.goBack();
    await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
    await page.goForward();
    await page.getByRole("button", { name: "Authorize" }).click();
  });

  await test.step("the dashboard", async () => {
    await expect(page).toHaveURL(`${partnerUrl}/dashboard`);
    await page.reload();
    await expectHeading(page, "Dashboard");
    await page.goBack();
    await expect(page).toHaveURL(`${partnerUrl}/dashboard`);
    await expectHeading(page, "Dashboard");
  });
});

test("operator: a reopened form never shows a submitted payment", async ({ browser, page, stack: { partnerUrl } }) => {
  const seller = newPerson();
  const sellerContext = await browser.newContext();
  await connectByHttp(sellerContext, partnerUrl, seller);
  await sellerContext.close();
  await openOfficeByHttp(page, partnerUrl);
  await page.goto(`${partnerUrl}/business`);
  await page.reload();
  await expect(page.getByRole("table", { name: "Accounts" })).toBeVisible();
  await page.getByRole("link", { name: "All payments" }).click();
  await expectHeading(page, "Payments");
  await page.reload();
  await page.goBack();
  await expectHeading(page, "Business");

  const amount = page.getByLabel("Amount in US dollars");
  await fillInPayment(page, partnerUrl, { seller, amount: "12.34" });
  await page.reload();
  await expect(amount).toHaveValue("");
  await fillInPayment(page, partnerUrl, { seller, amount: "12.34" });
  await page.getByRole("button", { name: "Review" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  // Each form has its own URL, so Back first leads to the previous form.
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.goBack();
  await expectHeading(page, "Business");
  await page.goForward();
  await expectHeading(page, "Pay a seller");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await fillInPayment(page, partnerUrl, { seller, amount: "12.34" });
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("button", { name: "Confirm and pay" }).click();
  await expect(page).toHaveURL(/\/routines\/[0-9a-f-]{36}$/);
  await page.reload();
  await expectHeading(page, "Sales of June");
  await page.goBack();
  await expectHeading(page, "Pay a seller");
  await expect(amount).toHaveValue("");
  await page.goto(`${partnerUrl}/routines?search=${encodeURIComponent(seller.lastName)}`);
  await expect(page.getByRole("link", { name: "Sales of June" })).toHaveCount(1);
});

function expectHeading(page: Page, name: string): Promise<void> {
  return expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
}

function expectStep(page: Page, name: string): Promise<void> {
  return expect(page.getByRole("heading", { level: 2, name })).toBeVisible();
}

/** Whether a click reaches a button as soon as it is shown, and later. */
async function isHitAgain(button: Element): Promise<[boolean, boolean]> {
  const card = button.closest("form")?.parentElement;
  if (!card) throw new Error("The button is in a form beside others.");
  const isHit = () => {
    const { x, y, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  button.scrollIntoView();
  card.style.animation = "none";
  card.getBoundingClientRect();
  card.style.animation = "";
  const isHitAtFirst = isHit();
  await Promise.all(card.getAnimations().map(({ finished }) => finished));
  return [isHitAtFirst, isHit()];
}
