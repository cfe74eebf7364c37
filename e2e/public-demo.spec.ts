import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { freePort } from "../scripts/embedded-postgres.ts";
import { checkPage } from "./check-page.ts";
import { bar } from "./harbor.ts";
import { startProxy } from "./reverse-proxy.ts";

// `npm run demo -- --public-url …` behind a proxy: visitors on phones and desktops, each in their own sandbox.

// One demo for both tests.
test.describe.configure({ mode: "default" });

let demo: ChildProcess;
let folder: string;
let proxy: { stop: () => Promise<void> };
let harbor: string;
let plainbook: string;
let greeting = "";

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gangway-public-"));
  // Under root, the database runs as another user.
  chmodSync(folder, 0o755);
  const [port, harborPort, plainbookPort] = [await freePort(), await freePort(), await freePort()];
  const [host, plainbookHost] = [`demo.localhost:${port}`, `plainbook.demo.localhost:${port}`];
  [harbor, plainbook] = [`http://${host}`, `http://${plainbookHost}`];
  demo = spawn(process.execPath, ["scripts/run.mjs", "scripts/demo.ts", "--public-url", harbor], {
    env: {
      NODE_ENV: "production",
      NEXT_DIST_DIR: ".next-test",
      DATA_FOLDER: folder,
      PARTNER_LISTEN: `127.0.0.1:${harborPort}`,
      SERVICE_LISTEN: `127.0.0.1:${plainbookPort}`,
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    for (const stream of [demo.stdout, demo.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        greeting += chunk.toString();
        if (greeting.includes("Ctrl-C stops everything")) resolve();
      });
    }
    demo.once("exit", () => reject(new Error(greeting)));
  });
  proxy = await startProxy(port, { [host]: harborPort, [plainbookHost]: plainbookPort });
});
test.afterAll(async () => {
  await proxy?.stop();
  demo.removeAllListeners("exit");
  await new Promise((resolve) => {
    demo.once("exit", resolve);
    demo.kill("SIGINT");
  });
  rmSync(folder, { recursive: true, force: true });
});

test("two visitors each onboard and get paid, and neither sees the other's data", async ({ browser }) => {
  expect(greeting).toContain(`${new URL(plainbook).host} {\n\treverse_proxy 127.0.0.1:`);
  const [firstVisitor, secondVisitor] = [
    await arrive(browser, { width: 360, height: 740 }),
    await arrive(browser, { width: 1280, height: 900 }),
  ];
  await onboard(firstVisitor);
  await payOneself(firstVisitor);
  const payment = firstVisitor.url();
  await expect(firstVisitor.getByText("Payment completed")).toBeVisible();

  await onboard(secondVisitor);
  await secondVisitor.goto(payment.replace("/routines/", "/dashboard/payments/"));
  await expect(secondVisitor.getByText("We can't find this page")).toBeVisible();
  await secondVisitor.goto(`${harbor}/dashboard`);
  await payOneself(secondVisitor);
  await secondVisitor.goto(`${harbor}/routines`);
  await expect(secondVisitor.getByRole("link", { name: "Sales of June" })).toHaveCount(1);
  await secondVisitor.goto(payment);
  await expect(secondVisitor.getByText("We can't find this page")).toBeVisible();

  await test.step("a session cookie from another sandbox opens nothing", async () => {
    const session = (await firstVisitor.context().cookies()).find(({ name }) => name === "harbor-session");
    expect(session).toBeDefined();
    await secondVisitor.context().addCookies(session ? [session] : []);
    await secondVisitor.goto(`${harbor}/business`);
    await expect(secondVisitor).toHaveURL(/\/sign-in/);
  });
});

test("Plainbook's public address serves only its pages", async ({ page }) => {
  const missing = await page.goto(`${plainbook}/console`);
  expect(missing?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "This part isn't public" })).toBeVisible();
  for (const path of ["/v1/user", "/sandbox/clients", "/metrics"]) {
    expect((await page.goto(`${plainbook}${path}`))?.status(), path).toBe(404);
  }
  expect((await page.goto(`${plainbook}/terms`))?.status()).toBe(200);
});

async function arrive(browser: Browser, viewport: { width: number; height: number }): Promise<Page> {
  const page = await (await browser.newContext({ viewport, locale: "en-US" })).newPage();
  await page.goto(harbor);
  await expect(page.getByText("This is your own private sandbox.")).toBeVisible();
  await checkPage(page, `public-home-${viewport.width}`);
  return page;
}

async function onboard(page: Page): Promise<void> {
  const fill = (name: string) => bar(page).getByRole("button", { name }).click();
  await page.goto(`${harbor}/sign-up`);
  await fill("Fill it in");
  await expect(page.getByLabel("First name")).not.toBeEmpty();
  await page.getByRole("button", { name: "Continue" }).click();
  await fill("Enter the code");
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await fill("Enter the code");
  await expect(page).toHaveURL(/\/onboarding$/);
  await fill("Fill it in");
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expect(page).toHaveURL((url) => url.origin === plainbook);
  await expect(page.getByText("This is a private sandbox.")).toBeVisible();
  await checkPage(page, "public-consent");
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page.getByRole("table", { name: "Accounts" })).toBeVisible();
}

/** Pays as Olive. The sandbox connects her in the background, unless this visitor is faster. */
async function payOneself(page: Page): Promise<void> {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await button("Now pay yourself, as Olive").click();
  await expect(button("Connect the business").or(button("Review"))).toBeVisible();
  if (await button("Connect the business").isVisible()) {
    await button("Connect the business").click();
    await button("Authorize").click();
  }
  await button("Review").click();
  await button("Confirm and pay").click();
  await expect(page).toHaveURL(/\/routines\/[0-9a-f-]{36}$/);
}
