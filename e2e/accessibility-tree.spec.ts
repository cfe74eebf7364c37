import { expect, type Page } from "@playwright/test";
import { connectByHttp, onboardByHttp, payByHttp, signUpByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";
import { openOffice } from "./live-page.ts";
import { createSandboxClient } from "./sandbox-client.ts";

// Accessibility tree snapshots of the ten main pages, in e2e/accessibility-tree. After an intended change, run
// `npm run test:e2e -- accessibility-tree --update-snapshots` and review the diff.

test("pages before the first payment match their accessibility snapshots", async ({
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await page.goto(partnerUrl);
  await expectTree(page, "home");
  await page.goto(`${partnerUrl}/sign-up`);
  await expectTree(page, "sign-up");
  await signUpByHttp(page, partnerUrl, seller);
  await page.goto(`${partnerUrl}/onboarding`);
  await expect(page).toHaveTitle(/^About you/);
  await expectTree(page, "onboarding");

  await page.context().clearCookies();
  await onboardByHttp(page, partnerUrl, newPerson());
  await page.goto(`${partnerUrl}/onboarding/status`);
  await expect(page.getByRole("heading", { name: "You're approved" })).toBeVisible();
  await expectTree(page, "status");
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
  await expectTree(page, "consent");
});

test("pages with a payment match their accessibility snapshots", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const operator = await openOffice(browser, partnerUrl);
  await payByHttp(operator, partnerUrl, { seller, amount: "125.50" });
  await operator.goto(`${partnerUrl}/routines/new`);
  await expectTree(operator, "pay-a-seller");
  await operator.context().close();

  await page.goto(`${partnerUrl}/dashboard`);
  const payments = page.getByRole("table", { name: "Payments" });
  await expect(payments.getByText("Arrived")).toBeVisible();
  await page.reload();
  await expect(payments).toBeVisible();
  await expectTree(page, "dashboard");
  await page.goto(`${partnerUrl}/dashboard/payments`);
  await expect(payments).toBeVisible();
  await expectTree(page, "payments");
  await page.goto(new URL((await payments.getByRole("link").getAttribute("href")) ?? "", partnerUrl).href);
  await expectTree(page, "payment");
});

test("the console matches its accessibility snapshot", async ({ page, stack }) => {
  const { clientId, clientSecret } = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  await page.goto(`${stack.authUrl}/console/sign-in`);
  await page.getByLabel("Client id").fill(clientId);
  await page.getByLabel("Client secret").fill(clientSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Timeline" })).toBeVisible();
  await page.goto(`${stack.authUrl}/console/people`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expectTree(page, "console");
});

/**
 * Compares language, title and tree with the snapshot, without the sandbox tools, which aren't part of the
 * product. Retries while the page loads.
 */
async function expectTree(page: Page, name: string): Promise<void> {
  await expect(async () => {
    const language = await page.locator("html").getAttribute("lang");
    const tree = withoutSandboxTools(await page.locator("body").ariaSnapshot());
    const text = `language: ${language}\ntitle: ${await page.title()}\n${tree}\n`;
    expect(withoutVolatileText(text)).toMatchSnapshot(`${name}.txt`);
  }).toPass();
}

/** Removes each sandbox region with its children, which are indented further. */
function withoutSandboxTools(tree: string): string {
  return tree.replaceAll(/^( *)- complementary "Sandbox.*\n(?:\1 .*\n)*/gm, "");
}

const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const clock = "\\d{1,2}:\\d{2}(?::\\d{2})?(?:\\s[AP]M)?";

/** Replaces what varies between runs: addresses, ids, names, phone numbers, times and the business's balance. */
function withoutVolatileText(text: string): string {
  const varying: [pattern: RegExp, word: string][] = [
    // Next's route announcer, added by its scripts.
    [/^- alert\n/gm, ""],
    // Announced only if the page was open before.
    [/(?<=- status): You're approved\./g, ""],
    // Sellers from other tests.
    [/(?<=- combobox "Seller"):\n(?: +- option .*\n)+/g, "\n"],
    [/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):\d+/g, "ORIGIN"],
    [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8}…[0-9a-f]{4}\b|(?<=sandbox-)[0-9a-f]{16}\b/g, "ID"],
    [/(?<=Marta Quay |Quay |marta\.)\d{7}\b/g, "0000000"],
    [/(?<=···|••• )\d{4}\b/g, "0000"],
    [/\(\d{3}\) \d{3}-\d{4}|(?<=phone=%2B)\d+/g, "PHONE"],
    [/\$[\d,.]+(?= available)/g, "AMOUNT"],
    [new RegExp(`(?:${month} \\d{1,2}, (?:\\d{4}, )?)?${clock}`, "g"), "TIME"],
    [new RegExp(`${month} \\d{1,2}\\b(?:, \\d{4})?`, "g"), "DATE"],
    [/\bjust now\b|\b\d+ (?:second|minute)s? ago\b/g, "AGO"],
  ];
  return varying.reduce((shown, [pattern, word]) => shown.replaceAll(pattern, word), text);
}
