import { expect, type Page } from "@playwright/test";
import { limits } from "../lib/contract/limits.ts";
import { checkPage } from "./check-page.ts";
import { demoSandbox } from "./demo-sandbox.ts";
import { connectByHttp, onboardByHttp } from "./http-shortcuts.ts";
import { type Person, test } from "./journey.ts";
import { createSandboxClient } from "./sandbox-client.ts";

// Expired codes and tokens, and unsolicited responses. Each page offers a way forward that works.

test("a person who signed in over 30 days ago is asked for a code", async ({ page, seller, stack }) => {
  await onboardByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding/status`);
  const go = page.getByRole("button", { name: "Continue to authorize" });
  await expect(go).toBeVisible();
  await demoSandbox(stack.serviceUrl).advanceClock((limits.trustedAuthenticationDays + 1) * 24 * 60 * 60);
  await go.click();
  await expect(page.getByRole("textbox", { name: "Verification code" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Authorize" })).toHaveCount(0);
});

test("an expired link to the service says so, and Harbor creates a new one", async ({ page, seller, stack }) => {
  await onboardByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding/status`);
  const status = page.url();
  await delayRedirect(page, status, stack, limits.identityVerificationTokenSeconds + 1);
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expect(page.getByRole("heading", { name: "This link has been used or has expired" })).toBeVisible();
  await checkPage(page, "link-expired");
  await page.unroute(status);
  await page.getByRole("link", { name: "Return to Harbor" }).click();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
});

test("a late authorization response says so, and a retry connects", async ({ page, seller, stack }) => {
  await goToConsent(page, stack.partnerUrl, seller);
  const consent = `${stack.authUrl}/login/oauth/authorize/*`;
  await delayRedirect(page, consent, stack, limits.authorizationCodeSeconds + 1);
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "That took too long" })).toBeVisible();
  await expect(page.getByText("expired or was already used, so nothing was connected.")).toBeVisible();
  expect(new URL(page.url()).search).toBe("?reason=expired_code");
  await checkPage(page, "answer-expired");
  await page.unroute(consent);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
  await expect(page.getByRole("table", { name: "Accounts" })).toBeVisible();
});

test("an expired code is distinguished from a wrong one, and a new one works", async ({ page, stack }) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  await page.goto(await client.addressFor());
  const field = page.getByRole("textbox", { name: "Verification code" });
  const late = await client.readTextedCode();
  await client.advanceClock(limits.verificationCodeSeconds + 1);
  await field.fill(late);
  const expired = page.getByText("This code has expired. Choose Resend code to get a new one.");
  await expect(expired).toBeVisible();
  await checkPage(page, "plainbook-code-expired");
  await field.fill(late === "000000" ? "000001" : "000000");
  await expect(expired).toBeVisible();
  await page.getByRole("button", { name: "Resend code" }).click();
  await expect(page.getByText("We texted you a new code")).toBeVisible();
  await field.fill(await client.readTextedCode());
  await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
});

for (const [problem, query, title] of [
  ["an unknown state", "code=gwc_made-up&state=made-up", "We can't match this to a request from you"],
  ["no state", "code=gwc_made-up", "We can't tell which request this answers"],
]) {
  test(`an authorization response with ${problem} doesn't connect`, async ({ page, seller, stack }) => {
    await goToConsent(page, stack.partnerUrl, seller);
    await page.goto(`${stack.partnerUrl}/callback?${query}`);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    expect(new URL(page.url()).search).not.toContain("made-up");
    await page.goto(`${stack.partnerUrl}/dashboard`);
    await expect(page.getByRole("table", { name: "Accounts" })).toHaveCount(0);
  });
}

test("an expired access token is refreshed silently; after the refresh token expires, one click reconnects", async ({
  page,
  seller,
  stack,
}) => {
  const sandbox = demoSandbox(stack.serviceUrl);
  const accounts = page.getByRole("table", { name: "Accounts" });
  await connectByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/dashboard`);
  await expect(accounts).toBeVisible();
  await sandbox.advanceClock(limits.accessTokenSeconds + 1);
  await page.reload();
  await expect(accounts).toBeVisible();

  await sandbox.advanceClock(limits.refreshTokenSeconds + 1);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Harbor's connection has ended" })).toBeVisible();
  await checkPage(page, "not-connected");
  await page
    .getByRole("main")
    .getByRole("button", { name: /authorize/i })
    .click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
  await expect(accounts).toBeVisible();
});

test("two tabs keep working after one has superseded the token pair", async ({ page, seller, stack }) => {
  await connectByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/dashboard`);
  const secondTab = await page.context().newPage();
  await secondTab.goto(`${stack.partnerUrl}/dashboard`);
  await secondTab
    .getByRole("main")
    .getByRole("button", { name: /authorize/i })
    .click();
  await secondTab.getByRole("button", { name: "Authorize" }).click();
  await expect(secondTab).toHaveURL(`${stack.partnerUrl}/dashboard`);
  for (const tab of [page, secondTab]) {
    await tab.reload();
    await expect(tab.getByRole("table", { name: "Accounts" })).toBeVisible();
  }
});

async function goToConsent(page: Page, partnerUrl: string, seller: Person): Promise<void> {
  await onboardByHttp(page, partnerUrl, seller);
  await page.goto(`${partnerUrl}/onboarding/status`);
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
}

/**
 * Moves the service's clock between a form's response and its redirect, which isn't a separate request without scripts.
 */
async function delayRedirect(page: Page, address: string, { serviceUrl }: { serviceUrl: string }, seconds: number) {
  await page.route(address, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const response = await route.fetch({ maxRedirects: 0 });
    await demoSandbox(serviceUrl).advanceClock(seconds);
    await route.fulfill({ response });
  });
}
