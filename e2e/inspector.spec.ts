import { expect, type Locator, type Page } from "@playwright/test";
import { inspectorCookie, inspectorKeyCookie } from "../components/partner/inspector/inspector-cookie.ts";
import { advanceClockUntil } from "./advance-clock.ts";
import { checkPage } from "./check-page.ts";
import { onboard } from "./harbor.ts";
import { onboardByHttp, signUpByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";
import { callService, demoCredentials } from "./service-api.ts";

// The inspector shows one person's traffic between Harbor and the service.

test.use({ viewport: { width: 1280, height: 900 } });

const drawerOf = (page: Page): Locator => page.getByRole("complementary", { name: "Inspector" });
const exchange = (page: Page, name: RegExp): Locator => drawerOf(page).getByRole("button", { name });

const stepsOf = (console: Page): Locator =>
  console.getByRole("list", { name: "Steps, oldest first" }).getByRole("button");

type Followed = { console: Page; id: string };

/** Opens the current exchange in the console; `id` is the shared webhook or trace id. */
async function followToConsole(page: Page): Promise<Followed> {
  const text = await drawerOf(page)
    .getByRole("region", { name: /^Harbor (sent|got)$/ })
    .first()
    .textContent();
  const [, webhookId] = /^webhook-id: (\S+)$/m.exec(text ?? "") ?? [];
  const [, traceId] = /^traceparent: 00-([0-9a-f]{32})-/m.exec(text ?? "") ?? [];
  const opened = page.waitForEvent("popup");
  await drawerOf(page).getByRole("link", { name: "See it as Plainbook saw it" }).click();
  return { console: await opened, id: webhookId ? `webhook:${webhookId}` : `trace:${traceId}` };
}

async function expectOneStep(followed: Followed, name: RegExp): Promise<void> {
  await expect(stepsOf(followed.console)).toHaveCount(1);
  await expectFirstStep(followed, name);
}

/** Expects the first step to have this name and to be the followed exchange. */
async function expectFirstStep({ console, id }: Followed, name: RegExp): Promise<void> {
  const step = stepsOf(console).first();
  await expect(step).toHaveAccessibleName(name);
  await step.click();
  const detail = console.getByRole("complementary", { name: "Selected step" });
  await expect(detail.getByRole("button", { name: id, exact: true })).toBeVisible();
}

async function causeWebhookFault(serviceUrl: string, kind: string): Promise<void> {
  const call = { authorization: demoCredentials(), method: "PUT", path: "/sandbox/webhook_faults" };
  await callService(serviceUrl, { ...call, body: { kind, times: 1 } });
}

/** Reloads once the browser has kept the page's cookie: until then, it can still send the old one. */
async function reloadWith(page: Page, cookie: string, value: string): Promise<void> {
  const kept = async () => (await page.context().cookies()).find(({ name }) => name === cookie)?.value;
  await expect.poll(kept).toBe(value);
  await page.reload();
}

test("the inspector shows each call, request, and webhook of an onboarding", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding`);

  await test.step("its key opens it beside the page, except while typing, and it stays open", async () => {
    await page.getByLabel("Social security number").press("i");
    await expect(drawerOf(page)).toHaveCount(0);
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("i");
    await expect(page.getByRole("heading", { name: "Inspector" })).toBeFocused();
    await expect(drawerOf(page).getByText("Nothing yet")).toBeVisible();
    await checkPage(page, "inspector-empty");
    const room = async () => {
      const main = await page.getByRole("main").boundingBox();
      const drawer = await drawerOf(page).boundingBox();
      return (drawer?.x ?? 0) - ((main?.x ?? 0) + (main?.width ?? 0));
    };
    expect(await room()).toBeGreaterThanOrEqual(0);
    await page.reload();
    await expect(drawerOf(page).getByText("Nothing yet")).toBeVisible();
    expect(await room()).toBeGreaterThanOrEqual(0);
  });

  await test.step("the intent, its decision by webhook, and the record that Harbor then reads", async () => {
    await causeWebhookFault(stack.serviceUrl, "duplicate");
    await onboard(page, { ssn: "123456789", metadata: ["shop", "Quay & Sons"] });
    await expect(exchange(page, /Pre-register the person POST \/v1\/user_intent 201/)).toBeVisible();
    await expect(exchange(page, /Receive a webhook user_intent_updated 202 accepted/)).toBeVisible();
    await expect(exchange(page, /Receive a duplicate webhook user_intent_updated 200 duplicate/)).toBeVisible();
    await expect(exchange(page, /Read the decision GET .* 200/).first()).toBeVisible();
    await expect(drawerOf(page).getByRole("heading", { name: "Onboarding" })).toBeVisible();
  });

  await test.step("an open exchange shows its clause, request, and response without secrets", async () => {
    await exchange(page, /POST \/v1\/user_intent/).click();
    const drawer = drawerOf(page);
    await expect(drawer.getByText("Published interface")).toBeVisible();
    await expect(drawer.getByText("lib/partner/onboarding/submit-onboarding.ts")).toBeVisible();
    const code = drawer.getByRole("region", { name: "Code" });
    await expect(code.locator("mark")).toContainText("client.createUserIntent(");
    await expect(code.getByRole("link", { name: /^Open line \d+ in VS Code$/ })).toHaveAttribute(
      "href",
      /^vscode:\/\/file\/.*\/lib\/partner\/onboarding\/submit-onboarding\.ts:\d+$/,
    );
    await expect(drawer.getByRole("region", { name: "Harbor sent" })).toContainText('"ssn": "[redacted]"');
    await expect(drawer.getByRole("button", { name: "Copy request id" })).toBeVisible();
    await expect(drawer).not.toContainText("123456789");
    await checkPage(page, "inspector-open");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await drawer.getByRole("button", { name: "Copy as curl" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('-u "$PARTNER_CLIENT_ID:$PARTNER_CLIENT_SECRET"');
    expect(copied).not.toContain("123456789");
  });

  await test.step("after sign-in, it links to the same step in the service's console", async () => {
    const call = await followToConsole(page);
    await call.console.getByRole("button", { name: "Continue as the demo client" }).click();
    await expect(call.console).toHaveURL(/\/console\?q=[0-9a-f-]{36}&join=trace/);
    await expectOneStep(call, /Client app to Service: Create user intent.* 201/);
    await call.console.close();
    await exchange(page, /POST \/v1\/user_intent/).click();

    await exchange(page, /Receive a webhook user_intent_updated 202 accepted/).click();
    const webhook = await followToConsole(page);
    // Both copies of the duplicated webhook.
    await expect(stepsOf(webhook.console)).toHaveCount(2);
    await expectFirstStep(webhook, /user_intent_updated, webhook, attempt 1/);
    await webhook.console.close();
    await exchange(page, /Receive a webhook user_intent_updated 202 accepted/).click();
  });

  await test.step("the token, the customer request, and the code exchange", async () => {
    await page.getByRole("button", { name: "Continue to authorize" }).click();
    await page.getByRole("button", { name: "Authorize" }).click();
    await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
    await expect(exchange(page, /Mint the one-time token .* 200/)).toBeVisible();
    await expect(exchange(page, /Confirm the customer .* 200/)).toBeVisible();
    await expect(exchange(page, /Exchange the code for tokens .* 200/)).toBeVisible();
    await expect(exchange(page, /Read whose tokens these are .* 200/)).toBeVisible();
    await exchange(page, /Confirm the customer .* 200/).click();
    const customerCall = await followToConsole(page);
    await expectOneStep(customerCall, /Service to Webhooks and customers: Get customer.* 200/);
    await customerCall.console.close();
  });

  await test.step("its key can be turned off and on, and the choice is kept", async () => {
    const keyIsOn = page.getByRole("checkbox", { name: "Open and close this with the key I" });
    await keyIsOn.uncheck();
    await reloadWith(page, inspectorKeyCookie, "off");
    await expect(keyIsOn).not.toBeChecked();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("i");
    await expect(drawerOf(page)).toBeVisible();
    await keyIsOn.check();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("i");
    await expect(drawerOf(page)).toHaveCount(0);
    await page.keyboard.press("i");
    await expect(page.getByRole("heading", { name: "Inspector" })).toBeFocused();
  });

  await test.step("Escape closes it, the focus returns, and it stays closed", async () => {
    // Simulate a frame that fires before the page changes.
    await page.evaluate(() => {
      window.requestAnimationFrame = (draw) => {
        draw(performance.now());
        return 0;
      };
    });
    await drawerOf(page).getByRole("button", { name: "Close the inspector" }).focus();
    await page.keyboard.press("Escape");
    await expect(drawerOf(page)).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Inspector" })).toBeFocused();
    await reloadWith(page, inspectorCookie, "closed");
    await expect(page.getByRole("button", { name: "Inspector" })).toBeVisible();
    await expect(drawerOf(page)).toHaveCount(0);
  });
});

test("a tampered webhook is rejected with the reason, and its retry is accepted", async ({ page, seller, stack }) => {
  await causeWebhookFault(stack.serviceUrl, "tamper");
  await onboardByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding/status`);
  await page.getByRole("button", { name: "Inspector" }).click();
  const refused = exchange(page, /Reject a webhook user_intent_updated 401 refused/);
  await expect(refused).toBeVisible();
  await refused.click();
  await expect(drawerOf(page).getByText("none of its signatures was made with this secret")).toBeVisible();
  await expect(drawerOf(page).getByText("Our decision D14")).toBeVisible();
  await expect(exchange(page, /Receive a webhook user_intent_updated 202 accepted/)).toBeVisible();
  await checkPage(page, "inspector-refused");
});

test("the inspector shows loading and connection problems, and recovers", async ({ page, seller, stack }) => {
  await signUpByHttp(page, stack.partnerUrl, seller);
  await page.clock.install();
  await page.goto(`${stack.partnerUrl}/onboarding`);
  const inspectorUrl = "**/api/sandbox/inspector*";
  let answer = () => {};
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(inspectorUrl, async (route) => {
    await mayAnswer;
    await route.fulfill({ status: 503 });
  });
  await page.getByRole("button", { name: "Inspector" }).click();
  await expect(drawerOf(page).getByRole("status").filter({ hasText: "Loading" })).toHaveCount(1);
  await checkPage(page, "inspector-loading");
  answer();
  await advanceClockUntil(page, drawerOf(page).getByText("We lost the connection."));
  await checkPage(page, "inspector-out-of-touch");
  await page.unroute(inspectorUrl);
  await page.reload();
  await expect(drawerOf(page).getByText("Nothing yet")).toBeVisible();
});

test("the inspector refuses anyone not signed in", async ({ page, stack }) => {
  const answer = await page.request.get(`${stack.partnerUrl}/api/sandbox/inspector`);
  expect(answer.status()).toBe(401);
  expect(await answer.text()).toBe("");
});
