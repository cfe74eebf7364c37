import { expect } from "@playwright/test";
import { advanceClockUntil } from "./advance-clock.ts";
import { checkPage } from "./check-page.ts";
import { demoSandbox } from "./demo-sandbox.ts";
import { balanceOn } from "./harbor.ts";
import { connectByHttp, onboardByHttp, payByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";
import { holdScripts, isSamePage, isStream, markPage, openLive, openOffice, showTab, signOutOn } from "./live-page.ts";

// Open pages update without a reload.

test("a payment arrives in every open tab of its seller, and signing out in one signs out all", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const secondTab = await page.context().newPage();
  for (const tab of [page, secondTab]) await openLive(tab, partnerUrl);
  const operator = await openOffice(browser, partnerUrl);

  await operator.goto(await payByHttp(operator, partnerUrl, { seller, amount: "125.50" }));
  for (const tab of [page, secondTab]) {
    await expect(balanceOn(tab)).toContainText("$125.50");
    await expect(tab.getByRole("row", { name: /Sales of June/ })).toContainText("Arrived");
    await expect(tab.getByRole("status").filter({ hasText: "has arrived" })).toHaveText(
      "$125.50 for Sales of June has arrived. Your balance is $125.50.",
    );
    expect(await isSamePage(tab)).toBe(true);
  }
  await expect(operator.getByText("Transfer processed")).toBeVisible();

  await payByHttp(operator, partnerUrl, { seller, amount: "20.11" });
  await expect(page.getByText("The receiving account is closed", { exact: true })).toBeVisible();
  await checkPage(page, "dashboard-failed");
  await operator.goto(`${partnerUrl}/business`);
  await expect(operator.getByRole("table", { name: "Recent payments" })).toContainText(seller.lastName);
  // On desktop, each row is a single line.
  await expect(operator.getByRole("cell", { name: "Sales of June" }).first().locator("span").last()).toHaveCSS(
    "text-align",
    "left",
  );
  await checkPage(operator, "business-paid");
  // On a phone it's a few lines, and all of it opens the payment.
  await operator.setViewportSize({ width: 360, height: 800 });
  const row = operator.getByRole("row", { name: /Sales of June/ }).first();
  expect((await row.boundingBox())?.height).toBeLessThan(110);
  await row.click({ position: { x: 5, y: 20 } });
  await expect(operator).toHaveURL(/\/routines\/[0-9a-f-]{36}$/);
  await operator.context().close();

  await secondTab.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(`${partnerUrl}/sign-in?return_to=%2Fdashboard`);
});

test("an offline page catches up automatically", async ({ browser, page, seller, stack: { partnerUrl } }) => {
  await connectByHttp(page, partnerUrl, seller);
  const operator = await openOffice(browser, partnerUrl);
  await page.clock.install();
  await openLive(page, partnerUrl);
  const asOf = page.getByText(/^As of/).locator("time");
  const readAt = async () => Date.parse((await asOf.getAttribute("datetime")) ?? "");
  await page.context().setOffline(true);
  const offlineSince = Date.now();
  await operator.goto(await payByHttp(operator, partnerUrl, { seller, amount: "40.00" }));
  await expect(operator.getByText("Transfer processed")).toBeVisible();
  await advanceClockUntil(page, page.getByText("This may be out of date"));
  await expect(balanceOn(page)).toContainText("$0.00");
  // A read in flight when the network went down may still have arrived.
  expect(await readAt()).toBeLessThan(offlineSince + 1000);
  await page.context().setOffline(false);
  await expect(balanceOn(page)).toContainText("$40.00");
  expect(await readAt()).toBeGreaterThan(offlineSince);
  await expect(page.getByText("This may be out of date")).toHaveCount(0);
  expect(await isSamePage(page)).toBe(true);
  await operator.context().close();
});

test("a page waiting for a decision shows that it's offline, and catches up automatically", async ({
  page,
  seller,
  stack: { partnerUrl, serviceUrl },
}) => {
  await onboardByHttp(page, partnerUrl, seller, "123450002");
  await page.clock.install();
  await page.goto(`${partnerUrl}/onboarding/status`);
  await expect(page.getByText("We're checking your details")).toBeVisible();
  await markPage(page);
  await page.context().setOffline(true);
  await demoSandbox(serviceUrl).decide(seller.phone, "approved");
  await advanceClockUntil(page, page.getByText("We can't reach Harbor right now"));
  await checkPage(page, "onboarding-out-of-touch");
  await page.context().setOffline(false);
  await expect(page.getByRole("button", { name: "Continue to authorize" })).toBeVisible();
  await expect(page.getByText("We can't reach Harbor right now")).toHaveCount(0);
  expect(await isSamePage(page)).toBe(true);
});

test("a page falls back to polling when its stream is refused", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  await page.clock.install();
  await page.route(
    ({ pathname }) => pathname === "/live",
    (route) => route.fulfill({ status: 429 }),
  );
  // Match the status: the previous page may still be opening an allowed stream.
  const refused = page.waitForResponse((it) => isStream(it) && it.status() === 429);
  await page.goto(`${partnerUrl}/dashboard`);
  await refused;
  await markPage(page);
  const operator = await openOffice(browser, partnerUrl);
  await payByHttp(operator, partnerUrl, { seller, amount: "60.00" });
  await advanceClockUntil(page, balanceOn(page).filter({ hasText: "$60.00" }));
  expect(await isSamePage(page)).toBe(true);
  await operator.context().close();
});

test("a page without changes since it was rendered isn't refetched", async ({
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  // Harbor receives announcements from its first stream on.
  await openLive(page, partnerUrl);
  const readings: string[] = [];
  page.on("request", (sent) => {
    if (new URL(sent.url()).pathname === "/dashboard/state") readings.push(sent.url());
  });
  await page.addInitScript(() => {
    const received: string[] = [];
    Object.assign(window, { received });
    window.EventSource = class extends EventSource {
      constructor(address: string | URL) {
        super(address);
        this.addEventListener("message", ({ data }) => received.push(data));
      }
    };
  });
  await page.goto(`${partnerUrl}/dashboard`);
  await expect.poll(() => page.evaluate(() => String(Reflect.get(window, "received")))).toContain('"ready"');
  await expect(balanceOn(page)).toContainText("$0.00");
  expect(readings).toEqual([]);
});

test("listed payments don't move on a phone when their times become relative", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const operator = await openOffice(browser, partnerUrl);
  await payByHttp(operator, partnerUrl, { seller, amount: "80.00" });
  await expect(async () => {
    await operator.goto(`${partnerUrl}/routines`);
    expect(await operator.getByRole("row", { name: /\$80\.00/ }).textContent()).toContain("Completed");
  }).toPass();
  await operator.setViewportSize({ width: 360, height: 800 });
  const runScripts = await holdScripts(operator);
  await operator.goto(`${partnerUrl}/routines`, { waitUntil: "commit" });
  const row = operator.getByRole("row", { name: /\$80\.00/ });
  await expect(row).toContainText("UTC");
  await operator.evaluate(() => document.fonts.ready);
  // A table's columns are whole pixels wide, so rounding can shift a cell by one.
  const cellEdges = () =>
    row.getByRole("cell").evaluateAll((cells) =>
      cells.flatMap((cell) => {
        const { left, right, top, bottom } = cell.getBoundingClientRect();
        return [left, right, top, bottom];
      }),
    );
  const before = await cellEdges();
  runScripts();
  await expect(row).not.toContainText("UTC");
  const shifts = (await cellEdges()).map((edge, at) => Math.abs(edge - (before[at] ?? Number.NaN)));
  expect(Math.max(...shifts)).toBeLessThanOrEqual(1);
  await operator.context().close();
});

test("a background tab never mixes data of two people after a sign-in or sign-out elsewhere", async ({
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const [otherTab, secondPerson] = [await page.context().newPage(), newPerson()];
  await openLive(page, partnerUrl);
  await showTab(page, "hidden");
  await signOutOn(otherTab, partnerUrl);
  const firstPerson = await page.locator("html").getAttribute("data-person");
  await connectByHttp(otherTab, partnerUrl, secondPerson);
  const inspector = `${partnerUrl}/api/sandbox/inspector`;
  expect((await page.request.get(inspector)).status()).toBe(200);
  expect((await page.request.get(inspector, { headers: { "page-person": `${firstPerson}` } })).status()).toBe(401);
  await showTab(page, "visible");
  await expect(page.getByRole("banner")).toContainText(secondPerson.lastName);

  await openLive(page, partnerUrl);
  await showTab(page, "hidden");
  await signOutOn(otherTab, partnerUrl);
  await showTab(page, "visible");
  await expect(page).toHaveURL(`${partnerUrl}/sign-in?return_to=%2Fdashboard`);
});
