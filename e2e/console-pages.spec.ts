import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, expect, type Page } from "@playwright/test";
import { clockRecord } from "../lib/contract/sandbox.ts";
import { checkPage } from "./check-page.ts";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./http-shortcuts.ts";
import { type Person, test } from "./journey.ts";
import { measurePage } from "./page-cost.ts";
import { createSandboxClient } from "./sandbox-client.ts";
import { callService, demoCredentials } from "./service-api.ts";

const scriptBytesMax = 400_000;
const pages = [
  ["Requests", "Webhooks", "People", "Tokens"],
  ["Money", "Keys", "Clock", "Settings"],
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
    test.setTimeout(120_000);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await payOnce(browser, stack, seller, "10.12");
    await openConsole(page, stack.authUrl);
    const nav = page.getByRole("navigation", { name: "Console" });
    for (const name of names) {
      await nav.getByRole("link", { name }).press("Enter");
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      await expect(nav.getByRole("link", { name })).toHaveAttribute("aria-current", "page");
      await expect(page.getByText("Live", { exact: true })).toBeVisible();
      await checkPage(page, `console-${name.toLowerCase()}`);
      await page
        .getByRole("button", { name: /^Copy as curl: GET \/sandbox\// })
        .first()
        .click();
      const curl = await page.evaluate(() => navigator.clipboard.readText());
      expect(curl).toContain(`${stack.serviceUrl}/sandbox/`);
    }
  });
}

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

  await nav.getByRole("link", { name: "Keys" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Keys" })).toBeVisible();
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
  test.setTimeout(120_000);
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
  test.setTimeout(120_000);
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
  await expect(page.getByText("Passed", { exact: true })).toBeVisible({ timeout: 20_000 });
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
  await page.getByLabel("Redirect URIs, one per line").fill("http://localhost:5000/a\nhttp://localhost:5000/b");
  await page.getByRole("button", { name: "Save redirect URIs", exact: true }).click();
  await expect(page.getByText("http://localhost:5000/a, http://localhost:5000/b")).toBeVisible();
  await page.getByRole("button", { name: "Create client", exact: true }).click();
  const made = await page.getByText('"client_secret"').textContent();
  expect(JSON.parse(made ?? "{}").client_id).not.toBe(client.clientId);

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
  receiver.stop();

  const signedOut = await (await browser.newContext()).newPage();
  for (const name of ["requests", "drills/webhook-lost"]) {
    await signedOut.goto(`${stack.authUrl}/console/${name}`);
    await expect(signedOut).toHaveURL(/\/console\/sign-in/);
  }
  await signedOut.context().close();
});

async function payOnce(browser: Browser, stack: Stack, seller: Person, amount: string) {
  const [own, office] = [await browser.newContext(), await browser.newContext()];
  await connectByHttp(own, stack.partnerUrl, seller);
  await own.close();
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
