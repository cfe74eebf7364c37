import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { test } from "./journey.ts";
import { createSandboxClient } from "./sandbox-client.ts";

// The page of `npm run checks -- --html` for a faulty client.

let folder: string;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "checks-report-"));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

test("the HTML report lists broken rules first with fixes, on screen and in print", async ({ page, stack }) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  // A client with a guessable state and no PKCE challenge.
  await page.goto(await client.addressFor());
  await page.getByRole("textbox", { name: "Verification code" }).fill(await client.readTextedCode());
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/callback/problem?reason=unknown_attempt`);

  const file = join(folder, "report.html");
  const { clientId, clientSecret } = client;
  const options = ["--base-url", stack.serviceUrl, "--client-id", clientId, "--client-secret", clientSecret];
  expect(await runChecks([...options, "--html", file])).toBe(1);
  await page.goto(pathToFileURL(file).href);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Checks of ${clientId}`);
  await expect(page.getByRole("heading", { level: 2 })).toHaveText([/^Broken/, /^Not seen/, /^Kept/]);
  await expect(headingsUnder(page, "Broken")).toHaveText([
    "Sends a state that can't be guessed",
    "Sends an S256 challenge with each visit",
    "Sends an identity verification token with each visit",
  ]);
  await checkPage(page, "checks-report");
  await page.emulateMedia({ media: "print" });
  await checkPage(page, "checks-report-printed");
  // Default print margins.
  const margins = await page.evaluate(() =>
    [...document.styleSheets].flatMap(({ cssRules }) =>
      [...cssRules].map((rule) => (rule instanceof CSSPageRule ? rule.style.getPropertyValue("margin") : "")),
    ),
  );
  expect(margins.filter(Boolean)).toEqual(["16mm 14mm"]);
  const paper = await page.pdf({ format: "A4" });
  expect(paper.length).toBeGreaterThan(10_000);
});

function headingsUnder(page: Page, name: string) {
  return page.getByRole("region", { name: new RegExp(`^${name}`) }).getByRole("heading", { level: 3 });
}

function runChecks(options: string[]): Promise<number | null> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "scripts/checks.ts", ...options], { stdio: "ignore" });
  return new Promise((resolve) => child.once("close", resolve));
}
