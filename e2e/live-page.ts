import { type Browser, expect, type Page, type Response } from "@playwright/test";
import { balanceOn } from "./harbor.ts";
import { openOfficeByHttp } from "./http-shortcuts.ts";

// Helpers for live-updating pages.

/** An operator page in a new browser context. */
export async function openOffice(browser: Browser, partnerUrl: string): Promise<Page> {
  const operator = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await openOfficeByHttp(operator, partnerUrl);
  return operator;
}

/** Opens the dashboard of an unpaid seller, with its stream. */
export async function openLive(page: Page, partnerUrl: string): Promise<void> {
  const stream = page.waitForResponse(isStream);
  await page.goto(`${partnerUrl}/dashboard`);
  expect((await stream).status()).toBe(200);
  await expect(balanceOn(page)).toContainText("$0.00");
  await markPage(page);
}

/** Whether this is the response to a page that opens its stream. */
export function isStream(response: Response): boolean {
  return new URL(response.url()).pathname === "/live";
}

/** Holds back the scripts of pages opened from now on. Returns a function that lets them load. */
export async function holdScripts(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/*.js", async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

export async function markPage(page: Page): Promise<void> {
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
}

/** Whether the marked page is still loaded. */
export function isSamePage(page: Page): Promise<boolean> {
  return page.evaluate(() => "isSamePage" in window);
}

/** Simulates a tab going to the background or coming back; headless browsers do neither. */
export async function showTab(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate((shown) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => shown });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}

export async function signOutOn(page: Page, partnerUrl: string): Promise<void> {
  await page.goto(partnerUrl);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("link", { name: "Sign in", exact: true })).toBeVisible();
}
