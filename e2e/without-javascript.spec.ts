import { type Browser, expect, type Page } from "@playwright/test";
import { connectBusiness, enterCodeWithoutScripts } from "./harbor.ts";
import { connectByHttp, onboardByHttp, openOfficeByHttp } from "./http-shortcuts.ts";
import { newPerson, type Person, test } from "./journey.ts";

// Harbor's forms work without scripts, and pages say what doesn't.

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a person signs up, sees which answers to correct, and starts onboarding", async ({ page, seller, stack }) => {
    await page.goto(`${stack.partnerUrl}/sign-up`);
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { name: "Please check 5 answers" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Enter your mobile phone number." })).toBeVisible();
    await page.getByLabel("First name").fill(seller.firstName);
    await page.getByLabel("Last name").fill(seller.lastName);
    await page.getByLabel("Email").fill(seller.email);
    await page.getByLabel("Mobile phone").fill(seller.phone);
    await page.getByLabel("Password").fill(seller.password);
    await page.getByRole("button", { name: "Continue" }).click();
    await enterCodeWithoutScripts(page, "Emails");
    await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
    await enterCodeWithoutScripts(page);
    await expect(page).toHaveURL(`${stack.partnerUrl}/onboarding`);
    await expect(page.getByText("This form needs JavaScript")).toBeVisible();
    await expect(page.getByRole("button", { name: "Continue" })).toBeDisabled();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${stack.partnerUrl}/sign-in?return_to=%2Fonboarding`);
    await page.getByLabel("Email").fill(seller.email);
    await page.getByLabel("Password").fill("not their password");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { name: "We couldn't sign you in" })).toBeVisible();
    await page.getByLabel("Email").fill(seller.email);
    await page.getByLabel("Password").fill(seller.password);
    await page.getByRole("button", { name: "Continue" }).click();
    await enterCodeWithoutScripts(page);
    await expect(page).toHaveURL(`${stack.partnerUrl}/onboarding`);
  });

  test("pressing Authorize again after a lost response still returns to the client", async ({
    page,
    seller,
    stack,
  }) => {
    await onboardByHttp(page, stack.partnerUrl, seller);
    const go = page.getByRole("button", { name: "Continue to authorize" });
    await expect(async () => {
      await page.goto(`${stack.partnerUrl}/onboarding/status`);
      expect(await go.count()).toBe(1);
    }).toPass({ intervals: [200] });
    await go.click();
    const authorize = page.getByRole("button", { name: "Authorize" });
    await expect(authorize).toBeVisible();
    // The service answers after the browser has disconnected.
    const lost: string[] = [];
    await page.route("**/login/oauth/authorize/*", async (route) => {
      const answer = await route.fetch({ maxRedirects: 0 });
      lost.push(answer.headers()["location"] ?? "");
      await route.abort("aborted");
    });
    await authorize.click();
    await expect.poll(() => lost[0]).toContain("code=gwc_");
    await page.unroute("**/login/oauth/authorize/*");
    await authorize.click();
    await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
    const state = await page.request.get(`${stack.partnerUrl}/dashboard/state`);
    expect(await state.json()).toMatchObject({ kind: "ok" });
  });

  test("the operator connects the business, confirms and pays a seller, and disconnects", async ({
    browser,
    page,
    stack,
  }) => {
    const seller = newPerson();
    await connectElsewhere(browser, stack.partnerUrl, seller);
    await page.goto(`${stack.partnerUrl}/sign-in`);
    await page.getByRole("button", { name: /operator/ }).click();
    await enterCodeWithoutScripts(page);
    await connectBusiness(page, stack.partnerUrl);

    await fillIn(page, stack.partnerUrl, seller.lastName);
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(page.getByText("Check the box once you have checked the payment.").first()).toBeVisible();
    await fillIn(page, stack.partnerUrl, seller.lastName);
    await page.getByLabel(/I've checked this payment/).check();
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(page).toHaveURL(/\/routines\/[0-9a-f-]{36}$/);
    await expect(page.getByRole("heading", { name: "Sales of May" })).toBeVisible();

    await page.goto(`${stack.partnerUrl}/business`);
    await page.getByRole("button", { name: "Disconnect", exact: true }).click();
    await expect(page.getByRole("button", { name: "Connect the business" })).toBeVisible();
    await connectBusiness(page, stack.partnerUrl);
  });
});

test.describe("the console without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("each page shows its data, says what it can't do, and has no dead controls", async ({
    browser,
    page,
    seller,
    stack,
  }) => {
    await connectElsewhere(browser, stack.partnerUrl, seller);
    await page.goto(`${stack.authUrl}/console`);
    await page.getByRole("button", { name: "Continue as the demo client" }).click();
    for (const [path, shown] of consolePages) {
      await page.goto(`${stack.authUrl}/console${path}`);
      const main = page.getByRole("main");
      // biome-ignore lint/performance/useDomNodeTextContent: only innerText includes a noscript element's text here
      const text = await main.innerText();
      expect(text, path).toContain("JavaScript is off.");
      expect(text, path).toContain(shown);
      await expect(
        main.getByRole("status").filter({ hasText: /Connecting|Loading|Not live/, visible: true }),
      ).toHaveCount(0);
      // The timeline's steps are its content, so they stay.
      const idle = main.locator("button:not([type=submit]):not(li button)").filter({ visible: true });
      expect(await idle.allTextContents(), path).toEqual([]);
      expect(
        await main
          .locator("form:not([action]):not(search form) [type=submit]:enabled")
          .filter({ visible: true })
          .allTextContents(),
        path,
      ).toEqual([]);
    }
    await page.goto(`${stack.authUrl}/console/requests`);
    await page.getByLabel("Method").selectOption("POST");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page).toHaveURL(/method=POST/);
    await expect(page.getByRole("heading", { level: 2, name: /^\d+ of \d+ calls$/ })).toBeVisible();
  });
});

const consolePages = [
  ["", "Create user intent"],
  ["/requests", "/v1/user_intent"],
  ["/webhooks", "user_intent_updated"],
  ["/people", "Harbor Operations"],
  ["/tokens", "access token"],
  ["/money", "Balanced"],
  ["/keys", "createUserIntent"],
  ["/settings", "demo-harbor"],
  ["/faults", "Every call works normally."],
  ["/clock", "real time"],
  ["/drills", "An ordinary day"],
  ["/drills/webhook-lost", "Expected behavior"],
  ["/checks", "events checked"],
] as const;

test("a payment submitted before the page's script runs isn't made", async ({ browser, page, seller, stack }) => {
  await connectElsewhere(browser, stack.partnerUrl, seller);
  await openOfficeByHttp(page, stack.partnerUrl);
  await page.route("**/*.js", (route) => route.abort());
  await fillIn(page, stack.partnerUrl, seller.lastName);
  await page.getByRole("button", { name: "Review" }).click();
  await expect(page).toHaveURL(/\/routines\/new\?form=/);
  await expect(page.getByText("Check the box once you have checked the payment.").first()).toBeVisible();
});

async function fillIn(page: Page, partnerUrl: string, lastName: string): Promise<void> {
  await page.goto(`${partnerUrl}/routines/new`);
  // A reloaded form still has the same payment.
  const key = page.locator('input[name="idempotency_key"]');
  const first = await key.inputValue();
  await page.reload();
  await expect(key).toHaveValue(first);
  await page.getByLabel("Seller").selectOption({ label: `Marta ${lastName} (m•••@example.com)` });
  await page.getByLabel("Amount in US dollars").fill("12.34");
  await page.getByLabel("What it's for").fill("Sales of May");
}

/** Connects a seller in a new browser context. */
async function connectElsewhere(browser: Browser, partnerUrl: string, seller: Person): Promise<void> {
  const context = await browser.newContext();
  await connectByHttp(context, partnerUrl, seller);
  await context.close();
}
