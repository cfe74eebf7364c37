import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect as anyExpect, type Page } from "@playwright/test";
import { bar } from "./harbor.ts";
import type { RunningDemo } from "./running-demo.ts";

// The configured timeout applies only in the test runner.
const expect = anyExpect.configure({ timeout: 60_000 });

/** Its commands run as written, except for URLs and the output file. */
export const tourFile = "docs/tour.md";

/** Captures a page under the name of its picture in the tour. */
export type See = (page: Page, name: string) => Promise<void>;

export type Tour = {
  page: Page;
  demo: RunningDemo;
  see: See;
  /** The report's folder. */
  folder: string;
};

/** Runs the tour in `docs/tour.md` from its second step; the first starts the demo. */
export async function takeTour({ page, demo, see, folder }: Tour): Promise<void> {
  const { partnerUrl, serviceUrl } = demo;
  const press = (name: string | RegExp) => page.getByRole("button", { name }).click();
  const fill = (name: string) => bar(page).getByRole("button", { name }).click();
  const commands = commandsOfTour();
  const report = join(folder, "report.html");
  const run = (words: string) => {
    const command = commands.find((one) => one.includes(words)) ?? "false";
    return runInShell(command.replaceAll("http://127.0.0.1:4000", serviceUrl).replace("report.html", report));
  };

  await page.goto(partnerUrl);
  await see(page, "harbor");
  await page.getByRole("link", { name: "Sign up as a seller" }).click();
  await fill("Fill it in");
  await expect(page.getByLabel("First name")).not.toBeEmpty();
  await press("Continue");
  await fill("Enter the code");
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await fill("Enter the code");
  await expect(page).toHaveURL(/\/onboarding$/);
  await fill("Fill it in");
  await expect(page.getByRole("heading", { name: "Review", level: 2 })).toBeVisible();
  await press("Submit");
  await press("Continue to authorize");
  await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
  await see(page, "consent");
  await press("Authorize");
  await expect(page.getByRole("table", { name: "Accounts" })).toBeVisible();

  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("i");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector.getByRole("heading", { name: "Onboarding" })).toBeVisible();
  await see(page, "inspector");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("i");
  await expect(inspector).toHaveCount(0);

  await press("Now pay yourself, as Olive");
  await pay(page);
  await see(page, "paid");

  const console = await page.context().newPage();
  await console.goto(`${serviceUrl}/console`);
  await console.getByRole("button", { name: "Continue as the demo client" }).click();
  await expect(console.getByText("Live", { exact: true })).toBeVisible();
  await expect(console.getByRole("button", { name: /transfer_updated/ }).last()).toBeVisible();
  await see(console, "timeline");

  await console.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Drills" }).click();
  await console.getByRole("link", { name: "Webhooks are lost" }).click();
  await console.getByRole("link", { name: "Start", exact: true }).click();
  await console.getByRole("button", { name: /^Run/ }).click();
  await expect(console.getByText("200. Done.")).toBeVisible();
  await page.getByRole("link", { name: "Payments" }).first().click();
  await page.getByRole("link", { name: "Pay a seller" }).first().click();
  await fill("Fill it in");
  await pay(page);
  await see(page, "survived");
  await expect(console.getByText("Passed", { exact: true })).toBeVisible();
  await see(console, "drill");

  const { code, output } = await run("npm run checks");
  expect(code, output).toBe(0);
  expect(output).toMatch(/kept +lost-event-healed/);
  await console.goto(pathToFileURL(report).href);
  await expect(console.getByText(/No rule is broken/)).toBeVisible();
  await see(console, "report");
  await console.close();
}

export function commandsOfTour(): string[] {
  return [...readFileSync(tourFile, "utf8").matchAll(/^```sh\n(.*?)^```/gms)].map(([, command = ""]) => command.trim());
}

async function pay(page: Page): Promise<void> {
  await expect(page.getByLabel("Seller", { exact: true })).toHaveValue(/./);
  await expect(page.getByLabel("Amount in US dollars")).not.toBeEmpty();
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("button", { name: "Confirm and pay" }).click();
  await expect(page.getByText("Transfer processed")).toBeVisible();
}

function runInShell(command: string): Promise<{ code: number | null; output: string }> {
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
