import { expect, type Locator, type Page } from "@playwright/test";
import { type Person, sellerOption } from "./journey.ts";

// A user's actions at Harbor, by visible labels.

/** Checks a page under a name; see `check-page.ts`. */
export type PageCheck = (page: Page, name: string) => Promise<void>;
const skip: PageCheck = async () => {};

/** Signs up with a password, an emailed code and a texted code; ends signed in. */
export async function signUp(page: Page, partnerUrl: string, person: Person, check = skip): Promise<void> {
  await page.goto(`${partnerUrl}/sign-up`);
  await page.getByLabel("First name").fill(person.firstName);
  await page.getByLabel("Last name").fill(person.lastName);
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Mobile phone").fill(person.phone);
  await page.getByLabel("Password").fill(person.password);
  await check(page, "sign-up");
  await page.getByRole("button", { name: "Continue" }).click();
  const code = await readCode(page, "email");
  await check(page, "sign-up-email-code");
  await page.getByRole("textbox", { name: "Verification code" }).fill(code);
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await enterCode(page, check);
}

/** Picks a demo person at sign-in; ends signed in. */
export async function signInAs(page: Page, partnerUrl: string, name: RegExp): Promise<void> {
  await page.goto(`${partnerUrl}/sign-in`);
  await page.getByRole("button", { name }).click();
  await enterCode(page);
}

/** Submits the code from the message at the bottom of the page, which is shown without scripts. */
export async function enterCodeWithoutScripts(page: Page, list: "Texts" | "Emails" = "Texts"): Promise<void> {
  const text = page
    .getByRole("list", { name: list })
    .getByRole("listitem")
    .filter({ hasText: /\b\d{6}\b/ });
  await expect(async () => {
    await page.reload();
    await expect(text).toHaveCount(1, { timeout: 500 });
  }).toPass();
  const code = /\b\d{6}\b/.exec((await text.textContent()) ?? "")?.[0] ?? "";
  await page.getByLabel("Verification code").pressSequentially(`G-${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole("button", { name: "Verify" }).click();
}

// The last digit submits the form.
async function enterCode(page: Page, check = skip): Promise<void> {
  const code = await readCode(page);
  await check(page, "sign-in-code");
  await page.getByRole("textbox", { name: "Verification code" }).fill(code);
  await expect(page.getByRole("textbox", { name: "Verification code" })).toHaveCount(0);
}

type Details = { ssn: string; metadata: [string, string] };

/** Submits onboarding with one metadata pair (key "shop" means the shop number); ends on the status page. */
export async function onboard(page: Page, details: Details, check = skip): Promise<void> {
  await fillInOnboarding(page, details, check);
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/onboarding\/status$/);
}

/** Fills in onboarding up to the review. */
export async function fillInOnboarding(page: Page, { ssn, metadata }: Details, check = skip): Promise<void> {
  await expect(page).toHaveURL(/\/onboarding$/);
  await fillInDate(page, "01/31/1990");
  await page.getByLabel("Social security number").fill(ssn);
  await check(page, "onboarding-1-about-you");
  await next(page, "Address");
  await page.getByLabel("Street address").fill("12 Wharf Street");
  await page.getByLabel("City", { exact: true }).fill("San Francisco");
  await page.getByLabel("State", { exact: true }).selectOption("CA");
  await page.getByLabel("ZIP code").fill("94107");
  await check(page, "onboarding-2-address");
  await next(page, "Your shop");
  if (metadata[0] === "shop") await page.getByLabel("Shop number").fill(metadata[1]);
  else await addPair(page, metadata);
  await check(page, "onboarding-3-your-shop");
  await next(page, "Review");
  await check(page, "onboarding-4-review");
}

/** Fills in the three date of birth fields, month first. */
export async function fillInDate(page: Page, date: string): Promise<void> {
  const group = page.getByRole("group", { name: "Date of birth" });
  for (const [index, part] of date.split("/").entries()) await group.getByRole("textbox").nth(index).fill(part);
}

async function addPair(page: Page, [key, value]: [string, string]): Promise<void> {
  await page.getByText("More notes").click();
  await page.getByRole("button", { name: "Add a pair" }).click();
  await page.getByLabel("Key of pair 1").fill(key);
  // An empty value isn't an error yet.
  await expect(page.getByLabel("Value of pair 1")).not.toHaveAttribute("aria-invalid");
  await page.getByLabel("Value of pair 1").fill(value);
}

async function next(page: Page, step: string): Promise<void> {
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await expect(page.getByRole("heading", { name: step, level: 2 })).toBeVisible();
}

/** Connects the business as the signed-in operator if needed; ends on the business page. */
export async function connectBusiness(operator: Page, partnerUrl: string): Promise<void> {
  await operator.goto(`${partnerUrl}/business`);
  const connect = operator.getByRole("button", { name: "Connect the business" });
  const isConnected = operator.getByRole("heading", { name: "Balance" });
  await connect.or(isConnected).waitFor();
  if (await connect.isVisible()) {
    await connect.click();
    await operator.getByRole("button", { name: "Authorize" }).click();
  }
  await expect(operator).toHaveURL(`${partnerUrl}/business`);
  await expect(isConnected).toBeVisible();
}

/** Fills in the payment form for this seller. */
export async function fillInPayment(
  operator: Page,
  partnerUrl: string,
  { seller, amount }: { seller: Person; amount: string },
): Promise<void> {
  await operator.goto(`${partnerUrl}/routines/new`);
  await operator.getByLabel("Seller").selectOption({ label: sellerOption(seller) });
  await operator.getByLabel("Amount in US dollars").fill(amount);
  await operator.getByLabel("What it's for").fill("Sales of June");
}

/** Syncs Harbor's clock to the service's in the sandbox bar, by longer than a session lasts. */
export async function syncHarborClock(page: Page): Promise<void> {
  await pressInBar(page, "Sync Harbor");
  await expect(page).toHaveURL(/\/sign-in\?return_to=/);
}

/** Moves both clocks two hours ahead in the sandbox bar. */
export async function jumpTwoHours(page: Page): Promise<void> {
  await pressInBar(page, "2 hours");
  await expect(bar(page).getByText(/^Both clocks: .*2 hours/)).toBeVisible();
}

/** Resets both clocks in the sandbox bar, which ends every connection. */
export async function returnToRealTime(page: Page): Promise<void> {
  await pressInBar(page, /Back to real time/);
  await expect(bar(page).getByText("Both clocks: real time.")).toBeVisible();
}

/** The sandbox bar. */
export function bar(page: Page): Locator {
  return page.getByRole("complementary", { name: "Sandbox", exact: true });
}

/** Opens the bar if it's closed. */
export async function openBar(page: Page): Promise<void> {
  const opener = bar(page).getByRole("button", { name: "Sandbox" });
  if ((await opener.getAttribute("aria-expanded")) === "false") await opener.click();
}

async function pressInBar(page: Page, name: string | RegExp): Promise<void> {
  await openBar(page);
  await bar(page)
    .getByRole("button", { name, ...(typeof name === "string" && { exact: true }) })
    .click();
}

/** For rules that count real time. */
export function waitRealTime(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The balance of the only account on the page. */
export function balanceOn(page: Page): Locator {
  return page.getByRole("table", { name: "Accounts" }).getByRole("cell").last();
}

export async function openDeveloperData(page: Page): Promise<void> {
  await page.getByText("Developer data").click();
}

/** The newest code on the sandbox's phone or in its inbox, as announced to screen readers. */
export async function readCode(page: Page, kind: "text" | "email" = "text"): Promise<string> {
  const news = page.getByRole("status").filter({ hasText: new RegExp(`^New ${kind}: .*\\b\\d{6}\\b`) });
  const code = /\b\d{6}\b/.exec((await news.textContent()) ?? "")?.[0];
  if (!code) throw new Error(`No ${kind} shows a code.`);
  return code;
}
