import { expect } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { onboardByHttp, signInAsByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";

test("a seller who cancels returns to a page with one working way forward", async ({ page, seller, stack }) => {
  await onboardByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/onboarding/status`);
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL((url) => url.origin === stack.partnerUrl && !url.search.includes("error_description"));
  await expect(page.getByRole("heading", { level: 1 })).toContainText("You didn't authorize");
  await checkPage(page, "cancelled");

  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
});

test("a rejected seller sees why and what to do next", async ({ page, seller, stack }) => {
  await onboardByHttp(page, stack.partnerUrl, seller, "123450001");
  await page.goto(`${stack.partnerUrl}/onboarding/status`);
  await expect(page.getByText("Rejected")).toBeVisible();
  await expect(page.getByRole("button", { name: "Continue to authorize" })).toHaveCount(0);
  await checkPage(page, "rejected");
  await page.getByRole("link", { name: /try again/i }).click();
  await expect(page).toHaveURL(/\/onboarding/);
});

test("polled routes require the page's signed-in role: 401 and 404 otherwise", async ({ page, stack }) => {
  const statusOf = async (path: string) => {
    const answer = await page.request.get(stack.partnerUrl + path);
    expect(answer.headers()["cache-control"]).toBe("no-store");
    return answer.status();
  };
  const routine = "/routines/0198c0de-0000-7000-8000-000000000000/state";
  expect(await statusOf("/onboarding/status/state")).toBe(401);
  expect(await statusOf(routine)).toBe(401);
  await signInAsByHttp(page, stack.partnerUrl, /operator/);
  expect(await statusOf("/onboarding/status/state")).toBe(404);
  // An id that doesn't exist.
  expect(await statusOf(routine)).toBe(404);
});
