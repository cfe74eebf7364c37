import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, expect, type Page } from "@playwright/test";
import { clockRecord } from "../lib/contract/sandbox.ts";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";
import { checkPage } from "./check-page.ts";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./http-shortcuts.ts";
import { type Person, test } from "./journey.ts";
import { holdScripts } from "./live-page.ts";
import { measurePage } from "./page-cost.ts";
import { createSandboxClient } from "./sandbox-client.ts";
import { callService, demoCredentials } from "./service-api.ts";

const scriptBytesMax = 400_000;
const pages = [
  ["Requests", "Webhooks", "People", "Tokens"],
  ["Money", "Idempotency keys", "Clock", "Settings"],
  ["Faults", "Drills", "Checks"],
];

type Stack = { serviceUrl: string; authUrl: string; partnerUrl: string };

for (const names of pages) {
  test(`console pages show what Harbor did and the calls behind it: ${names.join(", ")}`, async ({
    browser,
    context,
    page,
    seller,
    stack,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await payOnce(browser, stack, seller, "10.12");
    await openConsole(page, stack.authUrl);
    const nav = page.getByRole("navigation", { name: "Console" });
    for (const name of names) {
      await nav.getByRole("link", { name }).press("Enter");
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      await expect(nav.getByRole("link", { name })).toHaveAttribute("aria-current", "page");
      await expect(page.getByText("Live", { exact: true })).toBeVisible();
      await checkPage(page, `console-${name.toLowerCase().replace(" ", "-")}`);
      await page
        .getByRole("button", { name: /^Copy as curl: GET \/sandbox\// })
        .first()
        .click();
      const curl = await page.evaluate(() => navigator.clipboard.readText());
      expect(curl).toContain(`${stack.serviceUrl}/sandbox/`);
    }
  });
}

test("the navigation is grouped, stays in view, and marks the page without colors", async ({
  browser,
  page,
  stack,
}) => {
  await openConsole(page, stack.authUrl);
  const nav = page.getByRole("navigation", { name: "Console" });
  for (const [group, names] of [
    ["Observe", ["Timeline", "Requests", "Webhooks"]],
    ["Data", ["People", "Tokens", "Money", "Idempotency keys", "Settings"]],
    ["Break", ["Faults", "Clock"]],
    ["Prove", ["Drills", "Checks"]],
  ] as const) {
    await expect(nav.getByRole("list", { name: group }).getByRole("link")).toHaveText([...names]);
  }
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${stack.authUrl}/console/drills`);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(nav.getByRole("link", { name: "Drills" })).toBeInViewport({ ratio: 1 });
  }
  await page.emulateMedia({ forcedColors: "active" });
  const isHighlighted = (name: string) =>
    nav.getByRole("link", { name }).evaluate((link) => {
      const sample = Object.assign(document.createElement("i"), { style: "background: Highlight" });
      document.body.append(sample);
      return getComputedStyle(link).backgroundColor === getComputedStyle(sample).backgroundColor;
    });
  expect([await isHighlighted("Drills"), await isHighlighted("Checks")]).toEqual([true, false]);

  const storageState = await page.context().storageState();
  const touch = await browser.newContext({ storageState, hasTouch: true, viewport: { width: 1280, height: 800 } });
  const touched = await touch.newPage();
  await touched.goto(`${stack.authUrl}/console/requests`);
  for (const link of await touched.getByRole("navigation", { name: "Console" }).getByRole("link").all()) {
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  expect((await touched.getByRole("button", { name: "Search" }).boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await touch.close();
});

test("the navigation shows its page before the scripts run", async ({ page, stack }) => {
  await openConsole(page, stack.authUrl);
  await holdScripts(page);
  await page.goto(`${stack.authUrl}/console/settings`, { waitUntil: "commit" });
  const nav = page.getByRole("navigation", { name: "Console" });
  await expect(nav.getByRole("link", { name: "Settings" })).toBeInViewport({ ratio: 1 });
});

test("a navigation link pressed while the scripts start opens its page", async ({ page, stack }) => {
  await openConsole(page, stack.authUrl);
  const runScripts = await holdScripts(page);
  await page.goto(`${stack.authUrl}/console`, { waitUntil: "commit" });
  // Scrolls the link into view.
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Settings" }).hover();
  await page.mouse.down();
  runScripts();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await page.mouse.up();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
});

test("rows are compact for a mouse and large for a finger; a shortened id is copied in full", async ({
  browser,
  context,
  page,
  seller,
  stack,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await payOnce(browser, stack, seller, "10.00");
  await openConsole(page, stack.authUrl);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${stack.authUrl}/console/keys`);
  const row = page.getByRole("row", { name: /createBookRoutine/ }).first();
  expect((await row.boundingBox())?.height).toBeLessThanOrEqual(37);
  await row.getByRole("button", { name: "Copy routine " }).click();
  const id = await page.evaluate(() => navigator.clipboard.readText());
  expect(id).toMatch(/^[\da-f-]{36}$/);
  await expect(row.getByRole("link").first()).toHaveText(`${id.slice(0, 8)}…${id.slice(-4)}`);

  const storageState = await context.storageState();
  const touch = await browser.newContext({ storageState, hasTouch: true, viewport: { width: 1280, height: 800 } });
  const touched = await touch.newPage();
  await touched.goto(`${stack.authUrl}/console/keys`);
  const tall = touched.getByRole("row", { name: /createBookRoutine/ }).first();
  for (const target of [tall, tall.getByRole("link").first(), tall.getByRole("button").first()]) {
    expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  await touch.close();
});

test("requests are paginated and filtered by kind and person, with errors counted by kind", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  await payOnce(browser, stack, seller, "10.00");
  const unknown = `${stack.serviceUrl}/v1/user_intent/0198c0de-0000-7000-8000-000000000001`;
  for (let calls = 0; calls < 30; calls++) await fetch(unknown, { headers: { authorization: demoCredentials() } });
  await openConsole(page, stack.authUrl);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${stack.authUrl}/console/requests`);
  const rows = page.getByRole("row").filter({ has: page.getByRole("cell") });
  await expect(rows).toHaveCount(25);
  const firstStep = () => rows.first().getByRole("link").getAttribute("href");
  const newest = await firstStep();
  const pages = page.getByRole("navigation", { name: "Pages of calls" });
  await pages.getByRole("link", { name: "Older" }).click();
  await expect(pages.getByText(/^26 to \d+ of \d+$/)).toBeVisible();
  expect(await firstStep()).not.toBe(newest);

  const errors = page.getByRole("region", { name: "Errors by kind" });
  await expect(errors.getByRole("listitem").filter({ hasText: "404 not_found" })).toHaveText(
    /^404 not_found \d+ calls$/,
  );
  await checkPage(page, "console-requests-page");
  await errors.getByRole("link", { name: "404 not_found" }).click();
  await expect(page.getByRole("heading", { level: 2, name: /^[3-9]\d of \d+ calls$/ })).toBeVisible();
  await expect(page.getByLabel("Status")).toHaveValue("404");

  await page.getByRole("link", { name: "Clear filters" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Calls", exact: true })).toBeVisible();
  await page.getByLabel("Person", { exact: true }).selectOption({ label: `${seller.firstName} ${seller.lastName}` });
  await page.getByLabel("Method").selectOption("POST");
  await page.getByLabel("Route").selectOption("/v1/oauth/token");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("heading", { level: 2, name: /^1 of \d+ calls$/ })).toBeVisible();
  await expect(rows).toHaveText(/POST \/v1\/oauth\/token/);
  await expect(page.getByLabel("Route")).toHaveValue("/v1/oauth/token");
});

test("every page reflows at 320 px", async ({ browser, page, seller, stack }) => {
  await payOnce(browser, stack, seller, "10.00");
  await openConsole(page, stack.authUrl);
  await page.setViewportSize({ width: 320, height: 800 });
  const overflowing: string[] = [];
  for (const name of ["", ...pages.flat().map((title) => title.toLowerCase().replace("idempotency ", ""))]) {
    await page.goto(`${stack.authUrl}/console/${name}`);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)) overflowing.push(name);
  }
  expect(overflowing).toEqual([]);
});

test("drills are paginated", async ({ page, stack }) => {
  await openConsole(page, stack.authUrl);
  await page.goto(`${stack.authUrl}/console/drills`);
  const pages = page.getByRole("navigation", { name: "Pages of drills" });
  const first = page.locator("#drills h3").first();
  await expect(pages.getByText(/^1 to 25 of \d+$/)).toBeVisible();
  const title = await first.textContent();
  await pages.getByRole("link", { name: "Next" }).click();
  await expect(pages.getByText(/^26 to \d+ of \d+$/)).toBeVisible();
  expect(await first.textContent()).not.toBe(title);
});

test("people, webhooks and money are paginated", async ({ page, stack }) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  const authorization = basicCredentials(client.clientId, client.clientSecret);
  const call = (method: string, path: string, body?: object) =>
    callService(stack.serviceUrl, { authorization, method, path, ...(body && { body }) });
  for (let people = 0; people < 26; people++) await client.addressFor();
  // Each decision sends a webhook.
  await expect
    .poll(async () => {
      const { user_intents } = await call("GET", "/sandbox/user_intents");
      return (user_intents as { status: string }[]).filter(({ status }) => status === "pending").length;
    })
    .toBe(0);
  const { accounts } = await call("GET", "/sandbox/ledger");
  const userAccount = (accounts as { id: string; user_id: string | null }[]).find(({ user_id }) => user_id !== null);
  for (let times = 0; times < 26; times++)
    await call("POST", `/sandbox/accounts/${userAccount?.id}/fund`, { amount: 1 });

  await page.goto(`${stack.authUrl}/console/sign-in`);
  await page.getByLabel("Client id").fill(client.clientId);
  await page.getByLabel("Client secret").fill(client.clientSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Timeline" })).toBeVisible();
  for (const [name, list, size] of [
    ["people", "intents", 25],
    ["webhooks", "deliveries", 10],
    ["money", "movements", 25],
  ] as const) {
    await page.goto(`${stack.authUrl}/console/${name}`);
    const pages = page.getByRole("navigation", { name: `Pages of ${list}` });
    const firstId = () =>
      page.locator(`#${list} :is(li, tbody tr)`).first().locator("[title]").first().getAttribute("title");
    await expect(pages.getByText(new RegExp(`^1 to ${size} of \\d+$`))).toBeVisible();
    await checkPage(page, `console-${name}-pages`);
    const newest = await firstId();
    await pages.getByRole("link", { name: "Older" }).click();
    await expect(pages.getByText(new RegExp(`^${size + 1} to \\d+ of \\d+$`))).toBeVisible();
    await expect(page.locator(`#${list}`)).toBeInViewport();
    expect(await firstId()).not.toBe(newest);
  }
});

test("requests and keys link to the timeline, and pages stay light", async ({ browser, page, seller, stack }) => {
  await payOnce(browser, stack, seller, "10.00");
  await openConsole(page, stack.authUrl);
  const nav = page.getByRole("navigation", { name: "Console" });
  await nav.getByRole("link", { name: "Requests" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Requests" })).toBeVisible();
  await page.getByRole("searchbox").fill("/v1/routines/book");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("heading", { level: 2, name: /^\d+ of \d+ calls$/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /\/v1\/accounts/ })).toHaveCount(0);
  await page.getByRole("link", { name: "Show createBookRoutine in the timeline" }).first().click();
  await expect(page.getByRole("complementary", { name: "Selected step" })).toContainText("/v1/routines/book");

  await nav.getByRole("link", { name: "Idempotency keys" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Idempotency keys" })).toBeVisible();
  const key = page.getByRole("row", { name: /createBookRoutine/ }).first();
  await key.getByRole("link").first().click();
  await expect(page).toHaveURL(/join=routine/);
  await expect(page.getByRole("button", { name: /Create book routine/ })).toBeVisible();

  const state = await page.context().storageState();
  for (const name of ["requests", "money", "drills/webhook-lost?after=0"]) {
    const { scriptBytes } = await measurePage(browser, `${stack.authUrl}/console/${name}`, state);
    process.stdout.write(`/console/${name}: ${scriptBytes} bytes of script\n`);
    expect(scriptBytes).toBeLessThan(scriptBytesMax);
  }
});

test("the console performs operator actions and shows errors", async ({ browser, page, seller, stack }) => {
  const { office, payment } = await payOnce(browser, stack, seller, "11.12");
  await openConsole(page, stack.authUrl);

  await page.goto(`${stack.authUrl}/console/money`);
  await expect(page.getByText("Balanced", { exact: true })).toBeVisible();
  const transfers = page.getByRole("region", { name: "Routines and transfers" });
  const transfer = transfers.getByRole("listitem").filter({ hasText: "$11.12" });
  await expect(transfer.getByText("Held", { exact: true })).toBeVisible();
  await transfer.getByText(/^Settle: /).click();
  await transfer.getByLabel("New status").selectOption("failed");
  await transfer.getByLabel("Reason").fill("account_closed");
  await transfer.getByRole("button", { name: /^Settle/ }).click();
  await expect(transfer.getByText("account_closed")).toBeVisible();
  const operator = await office.newPage();
  await operator.goto(payment);
  await expect(operator.getByText("Transfer failed").first()).toBeVisible();
  const wallet = page
    .getByRole("listitem")
    .filter({ hasText: `${seller.lastName}, ` })
    .first();
  await wallet.getByText(/^Add money/).click();
  await wallet.getByLabel("Amount in US dollars").fill("12.345");
  await wallet.getByRole("button", { name: /^Add:/ }).click();
  await expect(wallet.getByText("400. amount: Must have at most two decimals.")).toBeVisible();
  await wallet.getByLabel("Amount in US dollars").fill("12.34");
  await wallet.getByRole("button", { name: /^Add:/ }).click();
  await expect(wallet.getByText("200. Done.")).toBeVisible();
  await expect(wallet.getByText("$12.34").first()).toBeVisible();
  await expect(page.getByText("Balanced", { exact: true })).toBeVisible();

  await page.goto(`${stack.authUrl}/console/tokens`);
  const name = `${seller.firstName} ${seller.lastName}`;
  const tokens = page.getByRole("region", { name });
  await expect(tokens.getByRole("row", { name: /access token .* live/ })).toHaveCount(1);
  await tokens.getByRole("button", { name: `Expire access token: ${name}` }).click();
  // Harbor may have refreshed already.
  await expect(tokens.getByRole("row", { name: /access token .* expired/ }).first()).toBeVisible();
  await tokens.getByRole("button", { name: `Revoke all: ${name}` }).click();
  await expect(tokens.getByRole("row", { name: /refresh token .* revoked/ }).first()).toBeVisible();

  await page.goto(`${stack.authUrl}/console/people`);
  const person = page.getByRole("region", { name: "Users" }).getByRole("listitem").filter({ hasText: seller.lastName });
  await person.getByText(/^Decide: /).click();
  await person.getByLabel("New status").selectOption("suspended");
  await person.getByRole("button", { name: /^Decide/ }).click();
  await expect(person.getByText("suspended", { exact: true }).first()).toBeVisible();

  await page.goto(`${stack.authUrl}/console/clock`);
  await page.getByRole("button", { name: "2 hours forward", exact: true }).click();
  await expect(page.getByText(/, 2 hours ahead/)).toBeVisible();
  const clock = clockRecord.parse(await callDemo(stack, "GET", "/sandbox/clock"));
  expect(clock.offset_seconds).toBeGreaterThanOrEqual(2 * 60 * 60);
  await page.getByRole("button", { name: "Reset to real time", exact: true }).click();
  await expect(page.getByText(/UTC, real time/)).toBeVisible();

  await page.goto(`${stack.authUrl}/console/faults`);
  const cut = page.getByRole("region", { name: "Cut the connection" });
  await cut.getByLabel("Operation").selectOption("readUser");
  await cut.getByRole("button", { name: "Cut connections", exact: true }).click();
  await expect(page.getByText("cut after processing", { exact: true })).toBeVisible();
  await checkPage(page, "console-fault-set");
  await page.getByRole("button", { name: "Remove all", exact: true }).click();
  await expect(page.getByText("No faults set. Every call works normally.")).toBeVisible();
  await office.close();
});

test("a drill is started, run, and passed on one page that updates itself", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  const { office } = await payOnce(browser, stack, seller, "9.00");
  await openConsole(page, stack.authUrl);
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Drills" }).click();
  await page.getByRole("link", { name: "A webhook arrives twice" }).click();
  await page.getByRole("link", { name: "Start", exact: true }).click();
  await expect(page).toHaveURL(/\?after=\d+$/);
  await expect(page.getByText("In progress", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.getByText("200. Done.")).toBeVisible();
  await payByHttp(office, stack.partnerUrl, { seller, amount: "9.01" });
  await expect(page.getByText("Passed", { exact: true })).toBeVisible();
  await checkPage(page, "console-drill-passed");

  await page.goto(`${stack.authUrl}/console/webhooks`);
  const twice = page.getByRole("listitem").filter({ hasText: "Fault: duplicate" }).first();
  // One copy gets 202 and the other 200, in either order.
  await expect(twice.getByText(/^20[02]$/).first()).toBeVisible();
  await twice.getByRole("button", { name: /^Redeliver webhook/ }).click();
  await expect(twice.getByText(/^Attempt 2$/).first()).toBeVisible();
  await office.close();
});

test("a new client's secrets are shown once, and its console shows no other client's data", async ({
  page,
  browser,
  stack,
}) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  await page.goto(`${stack.authUrl}/console/sign-in`);
  await page.getByLabel("Client id").fill(client.clientId);
  await page.getByLabel("Client secret").fill(client.clientSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.goto(`${stack.authUrl}/console/requests`);
  await expect(page.getByText("No calls yet.")).toBeVisible();
  await page.goto(`${stack.authUrl}/console/people`);
  await expect(page.getByText("No intents yet.")).toBeVisible();
  await expect(page.getByText("No visits yet.")).toBeVisible();

  await page.goto(`${stack.authUrl}/console/settings`);
  await page.getByLabel("Redirect URIs, one per line").fill("not an address");
  await page.getByRole("button", { name: "Save redirect URIs", exact: true }).click();
  await expect(page.getByText(/^400\. redirect_uris/)).toBeVisible();
  await page.getByLabel("Redirect URIs, one per line").fill("http://localhost:5000/a http://localhost:5000/b");
  await page.getByRole("button", { name: "Save redirect URIs", exact: true }).press("Enter");
  await expect(page.getByText("http://localhost:5000/a, http://localhost:5000/b")).toBeVisible();
  await expect(page.getByLabel("Redirect URIs, one per line")).toHaveValue(/^http:\S+\nhttp:\S+$/);
  await expect(page.getByText("200. Done.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save redirect URIs", exact: true })).toBeFocused();
  await page.getByRole("button", { name: "Create client", exact: true }).click();
  const createdClient = await page.getByText('"client_secret"').textContent();
  expect(JSON.parse(createdClient ?? "{}").client_id).not.toBe(client.clientId);

  const receiver = await startReceiver("The signature is not right.");
  await page.goto(`${stack.authUrl}/console/webhooks`);
  await page.getByLabel("Send webhooks to").fill(receiver.url);
  await page.getByRole("button", { name: "Save URL", exact: true }).click();
  await expect(page.getByText("Working", { exact: true })).toBeVisible();
  await page.goto(`${stack.authUrl}/console/people`);
  const business = page.getByRole("region", { name: "Users" }).getByRole("listitem").first();
  await business.getByText(/^Decide: /).click();
  await business.getByRole("button", { name: /^Decide/ }).click();
  await expect(business.getByText("suspended", { exact: true }).first()).toBeVisible();
  await page.goto(`${stack.authUrl}/console/webhooks`);
  await expect(page.getByText("The signature is not right.")).toBeVisible();
  await expect(page.getByText("401", { exact: true })).toBeVisible();
  await expect(page.getByRole("figure", { name: /0 accepted [1-9]\d* failed/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /^Attempts per minute: / })).toBeVisible();
  // A webhook that is being sent again right now doesn't count.
  await expect(async () => {
    await page.getByRole("button", { name: "Recover all", exact: true }).click();
    await expect(page.getByText(/"webhooks": [1-9]/)).toBeVisible({ timeout: 2_000 });
  }).toPass();
  receiver.stop();

  const signedOut = await (await browser.newContext()).newPage();
  for (const name of ["requests", "drills/webhook-lost"]) {
    await signedOut.goto(`${stack.authUrl}/console/${name}`);
    await expect(signedOut).toHaveURL(/\/console\/sign-in/);
  }
  await signedOut.context().close();
});

async function payOnce(browser: Browser, stack: Stack, seller: Person, amount: string) {
  const [sellerContext, office] = [await browser.newContext(), await browser.newContext()];
  await connectByHttp(sellerContext, stack.partnerUrl, seller);
  await sellerContext.close();
  await openOfficeByHttp(office, stack.partnerUrl);
  const payment = await payByHttp(office, stack.partnerUrl, { seller, amount });
  return { office, payment };
}

/** A webhook receiver that rejects everything with this text. */
async function startReceiver(text: string): Promise<{ url: string; stop: () => void }> {
  const server = createServer((_, answer) => answer.writeHead(401).end(text));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/webhooks`, stop: () => server.close() };
}

async function openConsole(page: Page, authUrl: string): Promise<void> {
  await page.goto(`${authUrl}/console`);
  await page.getByRole("button", { name: "Continue as the demo client" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Timeline" })).toBeVisible();
}

function callDemo({ serviceUrl }: Stack, method: string, path: string): Promise<Record<string, unknown>> {
  return callService(serviceUrl, { authorization: demoCredentials(), method, path });
}
