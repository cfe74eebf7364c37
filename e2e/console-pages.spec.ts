import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, expect, type Page } from "@playwright/test";
import { clockRecord } from "../lib/contract/sandbox.ts";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./by-http.ts";
import { type Person, test } from "./journey.ts";
import { lookAt } from "./look.ts";
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
  test(`each page of the console shows what Harbor did, and says which call tells it: ${names.join(", ")}`, async ({
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
      await lookAt(page, `console-${name.toLowerCase()}`);
      await page
        .getByRole("button", { name: /^Copy as curl: GET \/sandbox\// })
        .first()
        .click();
      const curl = await page.evaluate(() => navigator.clipboard.readText());
      expect(curl).toContain(`${stack.serviceUrl}/sandbox/`);
    }
  });
}

test("a request leads to its step, a key to what it stands for, and no page weighs much", async ({
  browser,
  page,
  seller,
  stack,
}) => {
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
  await expect(page.getByRole("complementary", { name: "The selected step" })).toContainText("/v1/routines/book");

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

test("what an operator of the service would do is done from the console, and its refusals are told", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  test.setTimeout(120_000);
  const { office, payment } = await payOnce(browser, stack, seller, "11.12");
  await openConsole(page, stack.authUrl);

  await page.goto(`${stack.authUrl}/console/money`);
  await expect(page.getByText("Balanced", { exact: true })).toBeVisible();
  const transfers = page.getByRole("region", { name: "Routines and their transfers" });
  const transfer = transfers.getByRole("listitem").filter({ hasText: "$11.12" });
  await expect(transfer.getByText("Held", { exact: true })).toBeVisible();
  await transfer.getByText(/^Finish: /).click();
  await transfer.getByLabel("Becomes").selectOption("failed");
  await transfer.getByLabel("Reason").fill("account_closed");
  await transfer.getByRole("button", { name: /^Finish/ }).click();
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
  await tokens.getByRole("button", { name: `Expire the access token: ${name}` }).click();
  // Harbor may have got a new one by now: its own calls find the old one ended.
  await expect(tokens.getByRole("row", { name: /access token .* expired/ }).first()).toBeVisible();
  await tokens.getByRole("button", { name: `Revoke all: ${name}` }).click();
  await expect(tokens.getByRole("row", { name: /refresh token .* revoked/ }).first()).toBeVisible();

  await page.goto(`${stack.authUrl}/console/people`);
  const person = page.getByRole("region", { name: "Users" }).getByRole("listitem").filter({ hasText: seller.lastName });
  await person.getByText(/^Decide: /).click();
  await person.getByLabel("Becomes").selectOption("suspended");
  await person.getByRole("button", { name: /^Decide/ }).click();
  await expect(person.getByText("suspended", { exact: true }).first()).toBeVisible();

  await page.goto(`${stack.authUrl}/console/clock`);
  await page.getByRole("button", { name: "2 hours forward", exact: true }).click();
  await expect(page.getByText(/, 2 hours ahead/)).toBeVisible();
  const clock = clockRecord.parse(await ask(stack, "GET", "/sandbox/clock"));
  expect(clock.offset_seconds).toBeGreaterThanOrEqual(2 * 60 * 60);
  await page.getByRole("button", { name: "Back to real time", exact: true }).click();
  await expect(page.getByText(/UTC, real time/)).toBeVisible();

  await page.goto(`${stack.authUrl}/console/faults`);
  const cut = page.getByRole("region", { name: "Cut the connection" });
  await cut.getByLabel("Operation").selectOption("readUser");
  await cut.getByRole("button", { name: "Cut them", exact: true }).click();
  await expect(page.getByText("cut after the work", { exact: true })).toBeVisible();
  await lookAt(page, "console-fault-set");
  await page.getByRole("button", { name: "Remove all", exact: true }).click();
  await expect(page.getByText("Nothing: every call goes its ordinary way.")).toBeVisible();
  await office.close();
});

test("a drill is begun, done and passed on one page, which says so by itself", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  test.setTimeout(120_000);
  const { office } = await payOnce(browser, stack, seller, "9.00");
  await openConsole(page, stack.authUrl);
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Drills" }).click();
  await page.getByRole("link", { name: "A webhook comes twice" }).click();
  await page.getByRole("link", { name: "Begin", exact: true }).click();
  await expect(page).toHaveURL(/\?after=\d+$/);
  await expect(page.getByText("Not seen yet", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: /^Do it/ }).click();
  await expect(page.getByText("200. Done.")).toBeVisible();
  await payByHttp(office, stack.partnerUrl, { seller, amount: "9.01" });
  await expect(page.getByText("Passed", { exact: true })).toBeVisible({ timeout: 20_000 });
  await lookAt(page, "console-drill-passed");

  await page.goto(`${stack.authUrl}/console/webhooks`);
  const twice = page.getByRole("listitem").filter({ hasText: "On purpose: duplicate" }).first();
  // The first of the two copies is taken (202), the other known again (200); either may be answered first.
  await expect(twice.getByText(/^20[02]$/).first()).toBeVisible();
  await twice.getByRole("button", { name: /^Send again/ }).click();
  await expect(twice.getByText(/^Attempt 2$/).first()).toBeVisible();
  await office.close();
});

test("a fresh client is made with secrets that are shown once, and its console has nothing of another’s", async ({
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
  await expect(page.getByText("Your app has not called yet.")).toBeVisible();
  await page.goto(`${stack.authUrl}/console/people`);
  await expect(page.getByText("Your app has submitted nobody yet.")).toBeVisible();
  await expect(page.getByText("Nobody has been on the authorization pages yet.")).toBeVisible();

  await page.goto(`${stack.authUrl}/console/settings`);
  await page.getByLabel("Redirect addresses, one a line").fill("not an address");
  await page.getByRole("button", { name: "Save the addresses", exact: true }).click();
  await expect(page.getByText(/^400\. redirect_uris/)).toBeVisible();
  await page.getByLabel("Redirect addresses, one a line").fill("http://localhost:5000/a\nhttp://localhost:5000/b");
  await page.getByRole("button", { name: "Save the addresses", exact: true }).click();
  await expect(page.getByText("http://localhost:5000/a, http://localhost:5000/b")).toBeVisible();
  await page.getByRole("button", { name: "Make a client", exact: true }).click();
  const made = await page.getByText('"client_secret"').textContent();
  expect(JSON.parse(made ?? "{}").client_id).not.toBe(client.clientId);

  const receiver = await startReceiver("The signature is not right.");
  await page.goto(`${stack.authUrl}/console/webhooks`);
  await page.getByLabel("Send webhooks to").fill(receiver.url);
  await page.getByRole("button", { name: "Save the address", exact: true }).click();
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

  const stranger = await (await browser.newContext()).newPage();
  for (const name of ["requests", "drills/webhook-lost"]) {
    await stranger.goto(`${stack.authUrl}/console/${name}`);
    await expect(stranger).toHaveURL(/\/console\/sign-in/);
  }
  await stranger.context().close();
});

/** Connects a seller and the business, and pays once: what a console has to show. */
async function payOnce(browser: Browser, stack: Stack, seller: Person, amount: string) {
  const [own, office] = [await browser.newContext(), await browser.newContext()];
  await connectByHttp(own, stack.partnerUrl, seller);
  await own.close();
  await openOfficeByHttp(office, stack.partnerUrl);
  const payment = await payByHttp(office, stack.partnerUrl, { seller, amount });
  return { office, payment };
}

/** A receiver of webhooks that refuses each with these words. */
async function startReceiver(words: string): Promise<{ url: string; stop: () => void }> {
  const server = createServer((_, answer) => answer.writeHead(401).end(words));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/webhooks`, stop: () => server.close() };
}

async function openConsole(page: Page, authUrl: string): Promise<void> {
  await page.goto(`${authUrl}/console`);
  await page.getByRole("button", { name: "Open as the sandbox’s client" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Timeline" })).toBeVisible();
}

function ask({ serviceUrl }: Stack, method: string, path: string): Promise<Record<string, unknown>> {
  return callService(serviceUrl, { authorization: demoCredentials(), method, path });
}
