import { expect } from "@playwright/test";
import { onboard, signUp } from "./harbor.ts";
import { test } from "./journey.ts";
import { lookAt } from "./look.ts";

test("a seller who presses Cancel comes back to a page with one way forward, and can go it", async ({
  page,
  seller,
  stack,
}) => {
  await signUp(page, stack.partnerUrl, seller);
  await onboard(page, { ssn: "123456789", metadata: ["shop", "Quay & Sons"] });
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL((url) => url.origin === stack.partnerUrl && !url.search.includes("error_description"));
  await expect(page.getByRole("heading", { level: 1 })).toContainText(/not/i);
  await lookAt(page, "cancelled");

  await page.getByRole("main").getByRole("link").or(page.getByRole("main").getByRole("button")).first().click();
  await page
    .getByRole("button", { name: /authorize/i })
    .first()
    .click();
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
});

test("a seller whom the screening rejects is told why and how to go on", async ({ page, seller, stack }) => {
  await signUp(page, stack.partnerUrl, seller);
  await onboard(page, { ssn: "123450001", metadata: ["shop", "Quay & Sons"] });
  await expect(page.getByText("Rejected")).toBeVisible();
  await expect(page.getByRole("button", { name: "Continue to authorize" })).toHaveCount(0);
  await lookAt(page, "rejected");
  await page.getByRole("link", { name: /try again/i }).click();
  await expect(page).toHaveURL(/\/onboarding/);
});
