import { expect, type Page } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { bar, openBar } from "./harbor.ts";
import { signInAsByHttp, signUpByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";

// The sandbox bars of both apps.

test("the bar fills in forms, decides manually, picks outcomes, and switches people", async ({ page, stack }) => {
  await page.goto(`${stack.partnerUrl}/sign-up`);
  await fill(page, "Fill it in");
  await expect(bar(page).getByText("is made up")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await fill(page, "Enter the code");
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await fill(page, "Enter the code");
  await expect(page).toHaveURL(/\/onboarding$/);

  await test.step("pending details are decided manually", async () => {
    await page.getByLabel("Outcome").selectOption("Waits");
    await fill(page, "Fill it in");
    await expect(bar(page).getByText("The SSN ends in 0002")).toBeVisible();
    await page.getByRole("button", { name: "Submit" }).click();
    await expect(page.getByText("We're checking your details")).toBeVisible();
    await openBar(page);
    await expect(bar(page).getByRole("button", { name: "Approve" })).toBeVisible();
    await checkPage(page, "bar-open");
    await bar(page).getByRole("button", { name: "Ask again" }).click();
    await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
  });

  await test.step("at the service: its bar fills in the correction", async () => {
    await page.getByRole("button", { name: "Continue to authorize" }).click();
    await expect(page).toHaveURL((url) => url.origin === stack.authUrl);
    await fill(page, "Fill it in");
    await openBar(page);
    await expect(bar(page).getByRole("button", { name: "Reject" })).toBeVisible();
    await checkPage(page, "bar-of-the-service");
    await bar(page).getByRole("button", { name: "2 hours", exact: true }).click();
    await expect(bar(page).getByText("clock for Harbor: 2 hours ahead")).toBeVisible();
  });

  await test.step("Harbor's clock is synced; both clocks jump, which ends the session, and reset", async () => {
    const harbor = await page.context().newPage();
    await harbor.goto(`${stack.partnerUrl}/onboarding/status`);
    await openBar(harbor);
    await expect(bar(harbor).getByText("Harbor: real time.")).toBeVisible();
    await bar(harbor).getByRole("button", { name: "Sync Harbor" }).click();
    await expect(bar(harbor).getByText("Both clocks: 2 hours ahead.")).toBeVisible();
    await bar(harbor).getByRole("button", { name: "31 days", exact: true }).click();
    await expect(harbor, "the session has expired, too").toHaveURL(/\/sign-in\?return_to=/);
    await openBar(harbor);
    await bar(harbor)
      .getByRole("button", { name: /, seller$/ })
      .last()
      .click();
    await expect(harbor).toHaveURL(/\/onboarding\/status$/);
    await openBar(harbor);
    await expect(bar(harbor).getByText("Both clocks: 31 days 2 hours ahead.")).toBeVisible();
    await bar(harbor)
      .getByRole("button", { name: /Back to real time/ })
      .click();
    await expect(bar(harbor).getByText("Both clocks: real time.")).toBeVisible();
    await harbor.close();
  });

  await test.step("switching to another person and back signs in each time", async () => {
    await page.goto(`${stack.partnerUrl}/onboarding/status`);
    const former = await page.context().cookies();
    await openBar(page);
    await bar(page).getByRole("button", { name: "Olive Marsh, operator" }).click();
    await expect(page).toHaveURL(`${stack.partnerUrl}/business`);
    await expect(page.getByText("Olive Marsh", { exact: false }).first()).toBeVisible();
    const now = await page.context().cookies();
    const sessionOf = (cookies: typeof now) => cookies.find(({ name }) => name === "harbor-session")?.value;
    expect(sessionOf(now)).not.toBe(sessionOf(former));
    const asBefore = await fetch(`${stack.partnerUrl}/onboarding/status/state`, {
      headers: { cookie: `harbor-session=${sessionOf(former)}` },
    });
    expect(asBefore.status, "the former session has ended").toBe(401);
    await openBar(page);
    await bar(page)
      .getByRole("button", { name: /, seller$/ })
      .last()
      .click();
    await expect(page).toHaveURL(/\/onboarding\/status$/);
  });

  await test.step("a new person signs out and leaves only the demo people", async () => {
    await openBar(page);
    await bar(page).getByRole("button", { name: "New person" }).click();
    await expect(page).toHaveURL(`${stack.partnerUrl}/sign-up`);
    await openBar(page);
    await expect(bar(page).getByText("You're not signed in.")).toBeVisible();
    await expect(bar(page).getByRole("button", { name: /, (seller|operator)$/ })).toHaveCount(3);
  });
});

test("an operator without sellers is offered two demo sellers; a failed payment says what to do next", async ({
  page,
  stack,
}) => {
  await signInAsByHttp(page, stack.partnerUrl, /operator/);
  const endSession = await holdResponseUntilSessionEnds(page, `${stack.partnerUrl}/routines`);
  await page.goto(`${stack.partnerUrl}/routines`);
  await openBar(page);
  await bar(page).getByText("Clear the demo").click();
  await bar(page).getByRole("button", { name: "Delete all of this" }).click();
  await endSession();
  await expect(page).toHaveURL(`${stack.partnerUrl}/`);
  await openBar(page);
  await bar(page).getByRole("button", { name: "Olive Marsh, operator" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/business`);
  await page.goto(`${stack.partnerUrl}/routines/new`);
  await page.getByLabel("Outcome").selectOption("Fails");
  await fill(page, "Fill it in");
  await expect(page.getByLabel("Amount in US dollars")).toHaveValue("125.11");
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("button", { name: "Confirm and pay" }).click();
  await expect(page.getByText("This payment didn't arrive")).toBeVisible();
  await checkPage(page, "payment-failed");
  await page.getByRole("link", { name: "pay it again" }).click();
  await expect(page.getByLabel("Amount in US dollars")).toHaveValue("125.11");
  await expect(page.getByLabel("What it's for")).toHaveValue("Sales of June");
});

test("the inspector button sits in the bar's row without overlap", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);
  const inspector = bar(page).getByRole("button", { name: "Inspector" });
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 640 });
    await expect(bar(page).getByRole("button", { name: "Fill it in" })).toBeVisible();
    const tops = await bar(page)
      .getByRole("button")
      .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().top)));
    expect(new Set(tops).size, `rows at ${width} px`).toBe(1);
    // The bar scrolls with the page.
    const before = await inspector.boundingBox();
    await page.evaluate(() => window.scrollTo({ top: 100, behavior: "instant" }));
    expect((await inspector.boundingBox())?.y).toBe((before?.y ?? 0) - 100);
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  }
});

test("the bar works with the keyboard alone, and overlaps nothing at 360 px", async ({ page, stack }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(`${stack.partnerUrl}/sign-up`);
  await expect(page.getByRole("button", { name: "Fill it in" })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Sandbox" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(bar(page).getByRole("heading", { name: "Switch person" })).toBeVisible();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("First name")).not.toBeEmpty();
  for (const control of await page.locator("main input:not([type=hidden]), main button").all()) {
    await control.focus();
    const isOnTop = await control.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const topmost = document.elementFromPoint(left + width / 2, top + height / 2);
      return topmost === element || element.contains(topmost);
    });
    expect(isOnTop, await control.evaluate(({ outerHTML }) => outerHTML)).toBe(true);
  }
});

/**
 * Holds back the response to the next form. The returned function ends the page's session, leaves time to redirect, and
 * then releases the response.
 */
async function holdResponseUntilSessionEnds(page: Page, address: string): Promise<() => Promise<void>> {
  await page.clock.install();
  const [isSent, mayEndSession, mayRespond] = [newSignal(), newSignal(), newSignal()];
  const live = ({ pathname }: URL) => pathname === "/live";
  await page.route(live, async (route) => {
    await mayEndSession.given;
    await route.fulfill({ contentType: "text/event-stream", body: 'data: {"kind":"session_ended"}\n\n' });
  });
  await page.route(address, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const response = await route.fetch({ maxRedirects: 0, timeout: 60_000 });
    // The bar's panel has noticed the sign-out and removed the form.
    await expect(page.getByText("You're not signed in.")).toBeVisible();
    isSent.give();
    await mayRespond.given;
    await route.fulfill({ response });
  });
  return async () => {
    await isSent.given;
    const ended = page.waitForResponse((it) => live(new URL(it.url())));
    mayEndSession.give();
    // Don't wait for the stream to finish: the page closes it itself.
    await ended;
    for (let round = 0; round < 5; round++) await page.clock.fastForward(4000);
    await page.unroute(live);
    mayRespond.give();
  };
}

function newSignal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Clicks the bar's fill button, which appears once the form's script runs. */
async function fill(page: Page, label: string): Promise<void> {
  await bar(page).getByRole("button", { name: label }).click();
}
