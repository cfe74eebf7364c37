import { expect, type Page, test } from "@playwright/test";
import { type RunningDemo, startDemo } from "./running-demo.ts";

// From the README to the first payment in one window, counting clicks and typed fields.

const clicksMax = 13;

let demo: RunningDemo;
test.beforeAll(async () => {
  demo = await startDemo();
});
test.afterAll(() => demo.stop());

test(`a person signs up, is onboarded, and pays themselves in at most ${clicksMax} clicks without typing`, async ({
  page,
}) => {
  const count = await countInput(page);
  const startedAt = performance.now();
  await page.goto(demo.partnerUrl);
  const press = (name: string | RegExp) => page.getByRole("button", { name }).click();

  await page.getByRole("link", { name: "Sign up as a seller" }).click();
  await press("Fill it in");
  await expect(page.getByLabel("First name")).not.toBeEmpty();
  const name = await page.getByLabel("First name").inputValue();
  await press("Continue");
  await press("Enter the code");
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await press("Enter the code");
  await expect(page).toHaveURL(/\/onboarding$/);
  await press("Fill it in");
  await expect(page.getByRole("heading", { name: "Review", level: 2 })).toBeVisible();
  await press("Submit");
  await press("Continue to authorize");
  await press("Authorize");
  await press("Now pay yourself, as Olive");
  await expect(page.getByLabel("Seller", { exact: true })).toHaveValue(/./);
  await press("Review");
  await press("Confirm and pay");
  await press(`See it as ${name}`);
  await expect(page).toHaveURL(`${demo.partnerUrl}/dashboard`);
  await expect(async () => {
    await expect(page.getByRole("table", { name: "Accounts" })).toContainText("$125.50", { timeout: 1000 });
  }).toPass();

  const seconds = (performance.now() - startedAt) / 1000;
  const { clicks, typed, pages } = count();
  process.stdout.write(
    `To the money: ${clicks} clicks, ${typed} fields typed, ${pages} pages, ${seconds.toFixed(1)} s in ${page.context().pages().length} window\n`,
  );
  expect(typed, "fields typed").toBe(0);
  expect(clicks, "clicks").toBeLessThanOrEqual(clicksMax);
});

/** Counts trusted input events only. */
async function countInput(page: Page): Promise<() => { clicks: number; typed: number; pages: number }> {
  const seen = { clicks: 0, typed: new Set<string>(), paths: [] as string[] };
  await page.exposeFunction("noteInput", (kind: "click" | "key", field: string) => {
    if (kind === "click") seen.clicks += 1;
    else seen.typed.add(`${page.url()} ${field}`);
  });
  await page.addInitScript(() => {
    const note = (kind: string, event: Event) => {
      const report: unknown = Reflect.get(window, "noteInput");
      const target = event.target instanceof Element ? event.target.id : "";
      if (event.isTrusted && typeof report === "function") report(kind, target);
    };
    addEventListener("pointerdown", (event) => note("click", event), true);
    addEventListener("keydown", (event) => note("key", event), true);
  });
  page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame()) seen.paths.push(new URL(frame.url()).pathname);
  });
  return () => ({
    clicks: seen.clicks,
    typed: seen.typed.size,
    pages: seen.paths.filter((path, at) => path !== seen.paths[at - 1]).length,
  });
}
