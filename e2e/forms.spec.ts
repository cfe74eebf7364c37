import { expect, type Locator, type Page } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { bar, fillInDate, fillInOnboarding, readCode } from "./harbor.ts";
import { fetchPage, submitByHttp } from "./http-forms.ts";
import { connectByHttp, openOfficeByHttp, signUpByHttp } from "./http-shortcuts.ts";
import { newPerson, sellerOption, test } from "./journey.ts";
import { createSandboxClient } from "./sandbox-client.ts";

// Realistic typing, pasting, and key presses.

test("a phone number is formatted while typed, pasted, and edited, and the caret stays", async ({ page, stack }) => {
  await page.goto(`${stack.partnerUrl}/sign-up`);
  const phone = page.getByLabel("Mobile phone");
  await phone.pressSequentially("4155550123");
  await expect(phone).toHaveValue("(415) 555-0123");
  await phone.press("Home");
  for (let press = 0; press < 3; press++) await phone.press("ArrowRight");
  await phone.press("Backspace");
  await phone.pressSequentially("7");
  await expect(phone).toHaveValue("(475) 555-0123");
  expect(await phone.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(3);
  await paste(page, phone, "+1 415.555.0199");
  await expect(phone).toHaveValue("(415) 555-0199");
  await paste(page, phone, "+44 20 7946 0000");
  await expect(phone).toHaveValue("+44 20 7946 0000");

  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: "Please check 5 answers" })).toBeVisible();
  await expect(phone).toHaveValue("+44 20 7946 0000");
  await checkPage(page, "sign-up-refused");
  expect(sent).toEqual([]);
  const error = page.locator("#email-error");
  await expect(error).toBeVisible();
  await page.getByLabel("Email").pressSequentially("m");
  await expect(error).toBeHidden();
  await expect(page.locator("#phone-error")).toBeVisible();
});

test("a code is accepted as copied, with letters, dashes, and spaces", async ({ page, stack }) => {
  await page.goto(`${stack.partnerUrl}/sign-in`);
  await page.getByRole("button", { name: /operator/ }).click();
  const code = await readCode(page);
  await page.getByRole("textbox", { name: "Verification code" }).focus();
  await page.keyboard.insertText(`G-${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(page).toHaveURL(`${stack.partnerUrl}/business`);
});

test("after twenty wrong codes the page says why it needs a longer one", async ({ page, browser, seller, stack }) => {
  const elsewhere = await browser.newContext();
  await signUpByHttp(elsewhere, stack.partnerUrl, seller);
  await elsewhere.close();
  const { email, password } = seller;
  for (let signIn = 0; signIn < 4; signIn++) {
    const form = await fetchPage(page.request, `${stack.partnerUrl}/sign-in`);
    const codeForm = await submitByHttp(page.request, form, /^Continue$/, { email, password });
    for (let tries = 0; tries < 5; tries++) {
      await submitByHttp(page.request, codeForm, /^Verify/, { code: "000000" });
    }
  }
  await page.goto(`${stack.partnerUrl}/sign-in/code`);
  await page.getByRole("textbox", { name: "Verification code" }).fill("000000");
  await expect(page.locator("#code-error")).toContainText("Too many wrong codes were entered for this phone today.");
});

test("a mistyped email address and phone can be changed on the code page without losing other answers", async ({
  page,
  seller,
  stack,
}) => {
  await page.goto(`${stack.partnerUrl}/sign-up`);
  await page.getByLabel("First name").fill(seller.firstName);
  await page.getByLabel("Last name").fill(seller.lastName);
  await page.getByLabel("Email").fill(newPerson().email);
  await page.getByLabel("Mobile phone").fill(newPerson().phone);
  await page.getByLabel("Password").fill(seller.password);
  await page.getByRole("button", { name: "Continue" }).click();
  const emailedBefore = await readCode(page, "email");
  await page.getByText("Wrong address? Change it").click();
  await page.getByLabel("Email", { exact: true }).fill("marta");
  await page.getByRole("button", { name: "Change address" }).click();
  await expect(page.getByText("like name@example.com", { exact: false })).toBeVisible();
  await checkPage(page, "change-email");
  await page.getByLabel("Email", { exact: true }).fill(seller.email);
  await page.getByRole("button", { name: "Change address" }).click();
  await expect(page.getByText(`code to ${seller.email}`, { exact: false })).toBeVisible();
  await expect.poll(() => readCode(page, "email")).not.toBe(emailedBefore);
  await page.getByRole("textbox", { name: "Verification code" }).fill(await readCode(page, "email"));
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  const sentBefore = await readCode(page);
  await page.getByText("Wrong number? Change it").click();
  await page.getByLabel("Mobile phone").fill("555-0123");
  await page.getByRole("button", { name: "Change number" }).click();
  await expect(page.getByText("with its area code", { exact: false })).toBeVisible();
  await checkPage(page, "change-phone");
  await page.getByLabel("Mobile phone").fill(seller.phone);
  await page.getByRole("button", { name: "Change number" }).click();
  await expect(page.getByText("Wrong number? Change it")).toBeVisible();
  await expect.poll(() => readCode(page)).not.toBe(sentBefore);
  await page.getByRole("textbox", { name: "Verification code" }).fill(await readCode(page));
  await expect(page).toHaveURL(`${stack.partnerUrl}/onboarding`);
});

test("on a phone, by keyboard: the emailed code is entered, and Back, a reload and another tab keep the step", async ({
  page,
  context,
  seller,
  stack,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(`${stack.partnerUrl}/sign-up`);
  const answers = [seller.firstName, seller.lastName, seller.email, seller.phone, seller.password];
  await page.getByLabel("First name").focus();
  for (const answer of answers) {
    await page.keyboard.insertText(answer);
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Verification code" })).toBeFocused();
  await expect(page).toHaveTitle("Check your email · Harbor");
  const otherTab = await context.newPage();
  await otherTab.goto(`${stack.partnerUrl}/sign-in/code`);
  await expect(otherTab.getByRole("heading", { name: "Check your email" })).toBeVisible();
  const emailed = await readCode(otherTab, "email");

  await bar(page)
    .getByRole("button", { name: /^Your inbox/ })
    .press("Enter");
  const inbox = page.getByRole("region", { name: "Your inbox" });
  await expect(inbox.getByText(seller.email)).toBeVisible();
  await checkPage(page, "sign-up-inbox");
  await inbox.getByRole("button", { name: `Enter code ${emailed}` }).press("Enter");
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await expect(page).toHaveTitle("Check your phone · Harbor");
  await expect(page.getByRole("textbox", { name: "Verification code" })).toBeFocused();
  await expect(bar(page).getByRole("button", { name: /^Your phone/ })).toBeVisible();

  await otherTab.getByRole("textbox", { name: "Verification code" }).fill(emailed);
  await expect(otherTab.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await expect(otherTab.getByText("That isn't the code", { exact: false })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await page.goBack();
  await page.goForward();
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await page.getByRole("textbox", { name: "Verification code" }).fill(await readCode(page));
  await expect(page).toHaveURL(`${stack.partnerUrl}/onboarding`);
});

test("a taken email address gets the same page as a new one, and an email saying it has an account", async ({
  page,
  browser,
  seller,
  stack,
}) => {
  const elsewhere = await browser.newContext();
  await signUpByHttp(elsewhere, stack.partnerUrl, seller);
  await elsewhere.close();
  const pages: string[] = [];
  const { email } = newPerson();
  for (const typed of [email, seller.email]) {
    await page.goto(`${stack.partnerUrl}/sign-up`);
    await page.getByLabel("First name").fill(seller.firstName);
    await page.getByLabel("Last name").fill(seller.lastName);
    await page.getByLabel("Email").fill(typed);
    await page.getByLabel("Mobile phone").fill(seller.phone);
    await page.getByLabel("Password").fill("the password of a stranger");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
    // Without the inbox, which only a sandbox shows.
    const main = await page.getByRole("main").evaluate((element) => {
      for (const inbox of element.querySelectorAll('[aria-label="Emails"]')) inbox.remove();
      return element.innerHTML;
    });
    if (typed === email) expect(main, "a code outside the inbox").not.toContain(await readCode(page, "email"));
    pages.push(main.replaceAll(typed, "EMAIL").replaceAll(/Available in \d+ s/g, ""));
  }
  expect(pages[1]).toBe(pages[0]);
  await expect(page.getByRole("status").filter({ hasText: /tried to sign up at Harbor.*sign in at/ })).toHaveCount(1);
});

test("a form left open by one seller is empty once another one has signed in", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);
  await fillInDate(page, "01/31/1990");
  await page.locator("#ssn").fill("123456789");
  await signUpByHttp(page, stack.partnerUrl, { ...newPerson(), firstName: "Bob" });
  await page.getByRole("button", { name: "Español" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "es-US");
  await expect(page.locator("#first_name")).toHaveValue("Bob");
  await expect(page.locator("#ssn")).toHaveValue("");
});

test("a session that expires before Submit keeps the answers except the SSN", async ({
  page,
  context,
  seller,
  stack,
}) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);
  await fillInOnboarding(page, { ssn: "123456789", metadata: ["shop", "Quay & Sons"] });
  await context.clearCookies({ name: "harbor-session" });
  await page.getByRole("button", { name: "Submit" }).click();
  await expectSignedOut(page);
  await checkPage(page, "session-ended");
  await page.getByLabel("Email").fill(seller.email);
  await page.getByLabel("Password").fill(seller.password);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("textbox", { name: "Verification code" }).fill(await readCode(page));
  await expect(page).toHaveURL(`${stack.partnerUrl}/onboarding?step=review`);
  await expect(page.getByText("12 Wharf Street", { exact: false })).toBeVisible();
  await page.getByRole("button", { name: "Enter your SSN" }).click();
  await expect(page.getByLabel("Social security number")).toHaveValue("");
});

test("a session that expires before a payment restores the unsent payment", async ({
  page,
  browser,
  context,
  seller,
  stack,
}) => {
  const elsewhere = await browser.newContext();
  await connectByHttp(elsewhere, stack.partnerUrl, seller);
  await elsewhere.close();
  await openOfficeByHttp(page, stack.partnerUrl);
  await page.goto(`${stack.partnerUrl}/routines/new`);
  await page.getByLabel("Seller").selectOption({ label: sellerOption(seller) });
  await page.getByLabel("Amount in US dollars").fill("12.34");
  await page.getByLabel("What it's for").fill("Sales of May");
  await page.getByRole("button", { name: "Review" }).click();
  await context.clearCookies({ name: "harbor-session" });
  await page.getByRole("button", { name: "Confirm and pay" }).click();
  await expectSignedOut(page);
  await page.getByRole("button", { name: /operator/ }).click();
  await page.getByRole("textbox", { name: "Verification code" }).fill(await readCode(page));
  await expect(page.getByLabel("Amount in US dollars")).toHaveValue("12.34");
  await expect(page.getByLabel("What it's for")).toHaveValue("Sales of May");
  await expect(page.getByLabel("Seller").locator("option:checked")).toHaveText(sellerOption(seller));
});

async function expectSignedOut(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { name: "Sign in", exact: true })).toBeVisible();
  await expect(page.getByText("Your session has ended")).toBeVisible();
  await expect(page.getByRole("button", { name: "Sign out" })).toHaveCount(0);
}

test("a wrong password is reported for the form, not a field", async ({ page, seller, stack }) => {
  await page.goto(`${stack.partnerUrl}/sign-in`);
  await page.getByLabel("Email").fill(seller.email);
  await page.getByLabel("Password").fill("not their password");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("alert").getByRole("heading", { name: "We couldn't sign you in" })).toBeVisible();
  await expect(page.locator("[aria-invalid]")).toHaveCount(0);
  await checkPage(page, "sign-in-refused");
});

test("onboarding works with the keyboard alone, Back, and reload", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, { ...seller, lastName: "O’Brien-Smith Jr." });
  await page.goto(`${stack.partnerUrl}/onboarding`);
  await expectOneRow(page.getByRole("link", { name: "Harbor, home" }), page.getByRole("button", { name: "Sign out" }));
  const month = page.getByLabel("Month");
  await expect(page.getByRole("button", { name: "Continue", exact: true })).toBeEnabled();
  await month.focus();
  // A slash moves to the next field.
  await page.keyboard.type("02/30/1990");
  await page.keyboard.press("Tab");
  const ssn = page.getByRole("textbox", { name: "Social Security number" });
  await expect(ssn).toBeFocused();
  await page.keyboard.type("12345678");
  await expect(ssn).toHaveValue("123-45-678");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Please check 2 answers" })).toBeVisible();
  await expect(page.getByLabel("Year")).toHaveValue("1990");
  await expect(ssn).toHaveCSS("-webkit-text-security", "disc");
  await checkPage(page, "onboarding-1-refused");
  await page.getByRole("link", { name: /^That date doesn't exist/ }).press("Enter");
  await expect(month).toBeFocused();
  await paste(page, month, "May 14, 1990");
  await expect(page.getByLabel("Day")).toHaveValue("14");
  await expect(page.locator("#date_of_birth-error")).toBeHidden();
  await expect(page.locator("#ssn-error")).toBeVisible();
  await ssn.focus();
  await expect(ssn).toHaveCSS("-webkit-text-security", "none");
  await paste(page, ssn, "123 45 0001");
  await expect(ssn).toHaveValue("123-45-0001");
  await expect(page.locator("#ssn-error")).toBeHidden();
  await page.keyboard.press("Enter");

  await expectStep(page, "Address", "address");
  await page.keyboard.press("Enter");
  await page.getByLabel("Street address").fill("123 St. Mary's St.");
  await page.getByLabel("Apartment or suite").fill("Apt 4B");
  await page.getByLabel("City", { exact: true }).fill("Coeur d'Alene");
  await page.getByLabel("State", { exact: true }).selectOption("Idaho");
  await page.getByLabel("ZIP code").fill("83814-1234");
  await page.keyboard.press("Enter");
  await expectStep(page, "Your shop", "your-shop");
  await page.goBack();
  await expectStep(page, "Address", "address");
  await expect(page.getByLabel("ZIP code")).toHaveValue("83814-1234");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "About you", level: 2 })).toBeVisible();
  await page.goForward();
  await page.goForward();
  await expectStep(page, "Your shop", "your-shop");
  await page.getByLabel("Shop number").fill("4711");
  await expect(page.getByRole("button", { name: "Add a pair" })).toBeHidden();
  await checkPage(page, "onboarding-3-shop");
  await page.reload();
  await expectStep(page, "Your shop", "your-shop");
  await expect(page.getByLabel("Shop number")).toHaveValue("4711");
  await page.getByRole("button", { name: "Continue", exact: true }).press("Enter");

  await expectStep(page, "Review", "review");
  await expect(page.getByText("May 14, 1990")).toBeVisible();
  await expect(page.getByText("Idaho")).toBeVisible();
  await checkPage(page, "onboarding-4-without-ssn");
  await page.getByRole("button", { name: "Enter your SSN" }).press("Enter");
  await ssn.fill("123-45-0001");
  for (const step of ["Address", "Your shop", "Review"]) {
    await page.getByRole("button", { name: "Continue", exact: true }).press("Enter");
    await expect(page.getByRole("heading", { name: step, level: 2 })).toBeVisible();
  }
  await page.getByRole("button", { name: "Submit" }).press("Enter");

  await page.getByRole("link", { name: "Check my details and try again" }).press("Enter");
  await expect(page.getByRole("heading", { name: "About you", level: 2 })).toBeVisible();
  await expect(page.getByLabel("Last name")).toHaveValue("O’Brien-Smith Jr.");
  await expect(page.getByLabel("Year")).toHaveValue("1990");
  await expect(ssn).toHaveValue("");
});

test("a form submitted before its validation loads is still checked", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);
  const onward = page.getByRole("button", { name: "Continue", exact: true });
  await expect(onward).toBeEnabled();
  await page.route("**/*.js", (route) => route.abort());
  await onward.click();
  await expect(page.getByRole("alert").getByRole("heading", { name: "Harbor didn't answer" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "About you", level: 2 })).toBeVisible();
  await page.unroute("**/*.js");
  await onward.click();
  await expect(page.getByRole("heading", { name: "Please check 2 answers" })).toBeVisible();
});

test("a link to a mistake in closed notes opens them", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);
  await fillInOnboarding(page, { ssn: "123456789", metadata: ["shop", "4711"] });
  await page.goBack();
  const notes = page.getByText("More notes");
  await notes.click();
  await page.getByRole("button", { name: "Add a pair" }).click();
  await notes.click();
  await expect(page.getByLabel("Key of pair 1")).toBeHidden();
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("alert").getByRole("link").first().press("Enter");
  await expect(page.getByLabel("Key of pair 1")).toBeFocused();
});

test("a later step can't be opened by URL", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding?step=review`);
  await expect(page).toHaveURL(`${stack.partnerUrl}/onboarding`);
  await expect(page.getByRole("heading", { name: "About you", level: 2 })).toBeVisible();
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("a refused correction keeps the date as typed, but never the SSN", async ({ page, stack }) => {
      const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`, { status: "retry" });
      await page.goto(await client.addressFor());
      await page.getByRole("textbox", { name: "Verification code" }).fill(await client.readTextedCode());
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Verify" }).click();
      const [year, ssn] = [page.getByLabel("Year"), page.getByRole("textbox", { name: "Social Security number" })];
      await fillInDate(page, "05/14/1990");
      await ssn.fill("12-34");
      await page.getByRole("button", { name: "Send" }).click();
      await expect(page.getByRole("heading", { name: "Please check one answer" })).toBeVisible();
      await expect(year).toHaveValue("1990");
      await expect(ssn).toHaveValue("");
      if (javaScriptEnabled) await checkPage(page, "retry-refused-with-date");
      await ssn.fill("123-45-6789");
      await page.getByRole("button", { name: "Send" }).click();
      await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
    });
  });
}

async function expectStep(page: Page, title: string, slug: string): Promise<void> {
  await expect(page.getByRole("heading", { name: title, level: 2 })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/onboarding\\?step=${slug}$`));
}

async function expectOneRow(first: Locator, second: Locator): Promise<void> {
  const [left, right] = [await first.boundingBox(), await second.boundingBox()];
  expect(right?.y).toBeLessThan((left?.y ?? 0) + (left?.height ?? 0));
}

/** Replaces an input's text by pasting. */
async function paste(page: Page, input: ReturnType<Page["getByLabel"]>, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await input.focus();
  await input.press("ControlOrMeta+A");
  await input.press("ControlOrMeta+V");
}
