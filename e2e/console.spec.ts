import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, type Page } from "@playwright/test";
import { sealData } from "iron-session";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";
import { keyedHash } from "../lib/kit/secrets.ts";
import { checkPage } from "./check-page.ts";
import { test } from "./journey.ts";
import { measurePage } from "./page-cost.ts";
import { createSandboxClient } from "./sandbox-client.ts";
import { callService, demoCredentials } from "./service-api.ts";

const scriptBytesMax = 400_000;

test("a client signs in to its console and sees its own steps live", async ({ page, context, stack }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const created = await callService(stack.serviceUrl, {
    authorization: demoCredentials(),
    method: "POST",
    path: "/sandbox/clients",
  });
  const [clientId, clientSecret] = [String(created["client_id"]), String(created["client_secret"])];
  const call = (method: string, path: string) =>
    fetch(`${stack.serviceUrl}${path}`, {
      method,
      headers: { authorization: basicCredentials(clientId, clientSecret) },
    });

  await page.goto(`${stack.serviceUrl}/`);
  await page.getByRole("link", { name: "Open the console" }).click();
  await expect(page).toHaveURL(/\/console\/sign-in$/);
  await checkPage(page, "console-sign-in");
  await signIn(page, clientId, "not the secret");
  await expect(page.getByText("Wrong client id or secret")).toBeVisible();
  await checkPage(page, "console-sign-in-refused");
  await signIn(page, clientId, clientSecret);
  await expect(page.getByRole("heading", { name: "Timeline", level: 1 })).toBeVisible();
  await expect(page.getByText("No steps yet")).toBeVisible();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await checkPage(page, "console-timeline-empty");

  await call("GET", "/v1/user_intent/0198c0de-0000-7000-8000-000000000001");
  const step = page.getByRole("button", { name: /Client app to Service: Read user intent.*404 not_found/ });
  await expect(step).toBeVisible();
  // The demo client has made calls too, which this console must not show.
  await expect(page.getByRole("button", { name: / to Service: / })).toHaveCount(1);
  await step.press("Enter");
  const detail = page.getByRole("complementary", { name: "Selected step" });
  await expect(detail.getByRole("heading", { level: 2 })).toBeFocused();
  await expect(detail).toContainText("D6.3");
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'curl -sS -X GET "$SERVICE_BASE_URL/v1/user_intent/0198c0de-',
  );
  await page.keyboard.press("Escape");
  await expect(detail).toHaveCount(0);
  await expect(step).toBeFocused();

  await page.getByRole("button", { name: "Pause" }).click();
  await call("GET", "/v1/user_intent/0198c0de-0000-7000-8000-000000000002");
  await expect(page.getByText("Paused, 1 new")).toBeVisible();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("button", { name: / to Service: / })).toHaveCount(2);

  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/console\/sign-in$/);
  await page.goto(`${stack.authUrl}/console`);
  await expect(page).toHaveURL(/\/console\/sign-in$/);
});

test("an open timeline says when another client signs in, and ends with a sign-out in another tab", async ({
  page,
  context,
  stack,
}) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  // Streams that a proxy has cut.
  await context.route("**/console/events/stream*", (route) => route.fulfill({ status: 502 }));
  await page.goto(`${stack.authUrl}/console?q=a`);
  await signIn(page, client.clientId, client.clientSecret);
  await expect(page.getByText("Connecting", { exact: true })).toBeVisible();
  const otherTab = await context.newPage();
  await otherTab.goto(`${stack.authUrl}/console/settings`);
  await otherTab.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/console\/sign-in\?return_to=/);

  await signIn(page, client.clientId, client.clientSecret);
  await expect(page.getByText("Connecting", { exact: true })).toBeVisible();
  // One request, so that the timeline never sees a signed-out page.
  const seeded = { headers: { origin: stack.authUrl }, form: { seeded: "1" } };
  expect((await context.request.post(`${stack.authUrl}/console/session`, seeded)).ok()).toBe(true);
  await expect(
    page.getByText("This page belongs to a different client than the one you’re signed in as."),
  ).toBeVisible();
});

test("a client whose secret no longer works signs in again, and returns to its page", async ({ page, stack }) => {
  const { clientId, clientSecret } = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  const { SERVICE_FINGERPRINT_KEY: key = "" } = parseEnv(readFileSync(".env.example", "utf8"));
  const password = keyedHash(key, "console_session").toString("hex");
  const value = await sealData({ clientId, clientSecret: "rotated since" }, { password });
  const cookie = { name: "plainbook-console", value, domain: new URL(stack.authUrl).hostname, path: "/console" };
  for (const path of ["/console", "/console/faults", "/console/drills/webhook-lost", "/console/settings"]) {
    await page.context().addCookies([cookie]);
    await page.goto(`${stack.authUrl}${path}`);
    await expect(page.getByText("Your client id or secret no longer works")).toBeVisible();
    // The sign-in has ended.
    await expect(page.getByRole("button", { name: "Sign out" })).toHaveCount(0);
  }
  await signIn(page, clientId, clientSecret);
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
});

test("one click signs in as the demo client; steps can be searched, filtered, and shared by URL", async ({
  page,
  browser,
  stack,
}) => {
  await page.goto(`${stack.authUrl}/console`);
  await page.getByRole("button", { name: "Continue as the demo client" }).click();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const reset = {
    authorization: demoCredentials(),
    method: "POST",
    path: "/sandbox/clock/advance",
    body: { seconds: 1 },
  };
  await callService(stack.serviceUrl, reset);
  const rows = page.getByRole("button", { name: / to Service: / });
  await expect(page.getByRole("button", { name: /Advance sandbox clock.*sandbox 200/ }).last()).toBeVisible();

  await page.getByRole("group", { name: "Kinds" }).getByRole("button", { name: "Sandbox" }).click();
  await page.getByRole("searchbox").fill("advance");
  await expect(page).toHaveURL(/kind=control&q=advance/);
  await rows.last().click();
  await expect(page).toHaveURL(/event=\d+/);
  await checkPage(page, "console-timeline-step");

  const [state, address] = [await page.context().storageState(), page.url()];
  const secondContext = await browser.newContext({ storageState: state });
  const shared = await secondContext.newPage();
  await shared.goto(address);
  await expect(shared.getByRole("complementary", { name: "Selected step" })).toContainText("Advance sandbox clock");
  await shared.getByRole("button", { name: /^trace:/ }).click();
  await expect(shared).toHaveURL(/join=trace/);
  await expect(shared.getByRole("button", { name: / to Service: / })).toHaveCount(1);
  await secondContext.close();

  const { scriptBytes } = await measurePage(browser, `${stack.authUrl}/console`, state);
  test.info().annotations.push({ type: "/console", description: `${scriptBytes} bytes` });
  process.stdout.write(`/console: ${scriptBytes} bytes of script\n`);
  expect(scriptBytes).toBeLessThan(scriptBytesMax);
});

test("the command palette finds pages, people, and drills with the keyboard alone", async ({ page, stack }) => {
  await page.goto(`${stack.authUrl}/console`);
  await page.getByRole("button", { name: "Continue as the demo client" }).click();
  // A page without clipped text, for the check below.
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  const find = page.getByRole("combobox", { name: "Find a page" });
  await page.keyboard.press("ControlOrMeta+k");
  await expect(find).toBeFocused();
  await page.keyboard.type("webhook lost");
  await expect(page.getByRole("option", { name: /webhook-lost Drill/ })).toHaveAttribute("aria-selected", "true");
  await checkPage(page, "console-palette");
  await page.keyboard.press("Escape");
  await expect(find).toBeHidden();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("clock");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Clock" })).toBeVisible();
  await expect(find).toBeHidden();

  // On the timeline too, which only changes its filters.
  const search = page.getByRole("searchbox");
  await page.getByRole("link", { name: "Timeline" }).click();
  await expect(search).toHaveValue("");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("nothing-has-this-name");
  await page.keyboard.press("Enter");
  await expect(search).toHaveValue("nothing-has-this-name");
  await page.getByRole("link", { name: "Timeline" }).click();
  await expect(search).toHaveValue("");
});

test("a visit to the authorization pages appears step by step", async ({ page, browser, stack }) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  const watching = await browser.newContext();
  const watcher = await watching.newPage();
  await watcher.goto(`${stack.authUrl}/console`);
  await signIn(watcher, client.clientId, client.clientSecret);
  await expect(watcher.getByText("Live", { exact: true })).toBeVisible();

  await page.goto(await client.addressFor());
  await page.getByRole("textbox", { name: "Verification code" }).fill(await client.readTextedCode());
  await page.getByRole("button", { name: "Authorize" }).click();
  for (const step of ["opened", "code sent", "code verified", "authorized"]) {
    await expect(watcher.getByRole("button", { name: new RegExp(`Visit: ${step}`) })).toBeVisible();
  }
  await checkPage(watcher, "console-timeline");

  await watcher.getByRole("checkbox", { name: "Group by person" }).check();
  await expect(watcher).toHaveURL(/by=person/);
  const opened = watcher.getByRole("button", { name: /Visit: opened/ });
  await expect(opened).toHaveCount(0);
  const journey = watcher.getByRole("button", { name: /intent, visit .*\d+ steps$/ });
  await journey.click();
  await opened.click();
  await expect(watcher.getByRole("complementary", { name: "Selected step" })).toContainText("Visit: opened");
  await checkPage(watcher, "console-timeline-by-person");
  await journey.focus();
  await watcher.keyboard.press("ArrowDown");
  await watcher.keyboard.press("ArrowUp");
  await expect(journey).toBeFocused();
  await journey.press("Enter");
  await expect(opened).toHaveCount(0);
  await watching.close();
});

test("ten thousand steps stay smooth: the list is virtualized and fully reachable", async ({ page, stack }) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  await page.goto(`${stack.authUrl}/console`);
  // A busy client's day, streamed at once.
  await page.route("**/console/events/stream*", async (route) => {
    const steps = Array.from({ length: 10_000 }, (_, index) => madeUpStep(1_000_000 + index));
    const lines = steps.map((step) => `id: ${step.id}\nevent: event\ndata: ${JSON.stringify(step)}\n\n`);
    await route.fulfill({ contentType: "text/event-stream", body: `retry: 600000\n\n${lines.join("")}` });
  });
  await signIn(page, client.clientId, client.clientSecret);
  const stepAt = (index: number) => page.getByRole("button", { name: new RegExp(`/made-up/${1_000_000 + index}`) });
  await expect(stepAt(9999)).toBeVisible();
  const drawn = () => page.getByRole("list", { name: "Steps, oldest first" }).getByRole("listitem").count();
  expect(await drawn()).toBeLessThan(80);
  const box = page.getByRole("region", { name: "Steps" });
  await box.evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(stepAt(0)).toBeVisible();
  expect(await drawn()).toBeLessThan(80);
  // Keyboard navigation across rows that aren't rendered yet.
  await stepAt(0).focus();
  for (let presses = 0; presses < 60; presses++) await page.keyboard.press("ArrowDown");
  await expect(stepAt(60)).toBeFocused();
  // A held key, faster than rendering.
  await page.evaluate(() => {
    const press = () => new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true });
    for (let presses = 0; presses < 60; presses++) document.activeElement?.dispatchEvent(press());
  });
  await expect(stepAt(120)).toBeFocused();
  // One fast search is enough, because other tests share the machine.
  const searchMs: number[] = [];
  for (const index of [4242, 4343, 4444]) {
    const beganAtMs = Date.now();
    await page.getByRole("searchbox").fill(`made-up/${1_000_000 + index}`);
    await expect(stepAt(index)).toBeVisible();
    searchMs.push(Date.now() - beganAtMs);
  }
  expect(Math.min(...searchMs)).toBeLessThan(3000);
});

test("earlier steps load once per click and keep the reading position; a link to a step shows it", async ({
  page,
  stack,
}) => {
  const create = { authorization: demoCredentials(), method: "POST", path: "/sandbox/clients" };
  const created = await callService(stack.serviceUrl, create);
  const [clientId, clientSecret] = [String(created["client_id"]), String(created["client_secret"])];
  const headers = { authorization: basicCredentials(clientId, clientSecret) };
  const calls = 640;
  const intentOf = (index: number) => `0198c0de-0000-7000-8000-${String(index).padStart(12, "0")}`;
  const read = (index: number) => fetch(`${stack.serviceUrl}/v1/user_intent/${intentOf(index)}`, { headers });
  // The first call alone, to keep it first; the rest in batches within the limit kept under load.
  let done = 0;
  for (const more of [1, 160, 160, 160, 159]) {
    await Promise.all(Array.from({ length: more }, (_, index) => read(done + index + 1)));
    done += more;
    await expect(async () => {
      const listCall = { authorization: headers.authorization, method: "GET", path: "/sandbox/events?limit=1000" };
      expect((await callService(stack.serviceUrl, listCall))["events"]).toHaveLength(done);
    }).toPass({ intervals: [100] });
  }
  expect(done).toBe(calls);

  await page.goto(`${stack.authUrl}/console`);
  await signIn(page, clientId, clientSecret);
  // Wide enough to show the whole list.
  await page.setViewportSize({ width: 1280, height: 800 });
  const steps = page.getByRole("list", { name: "Steps, oldest first" }).getByRole("listitem");
  const box = page.getByRole("region", { name: "Steps" });
  const count = async () => Number(await steps.last().getAttribute("aria-setsize"));
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  expect(await count()).toBe(500);
  const stepAt = (index: number) => steps.and(page.locator(`[aria-posinset='${index}']`));
  // Visible rows render in the frame after the scroll.
  await expect(stepAt(500)).toBeInViewport();
  await box.evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(stepAt(4)).toBeInViewport();
  const id = await stepAt(4).getByRole("button").getAttribute("id");
  const row = page.locator(`[id="${id}"]`);
  const before = await row.boundingBox();

  await page.getByRole("button", { name: "Load earlier steps" }).dblclick();
  await expect.poll(count).toBe(calls);
  await expect(row).toBeInViewport();
  await expect.poll(async () => Math.round((await row.boundingBox())?.y ?? 0)).toBe(Math.round(before?.y ?? -1));
  await expect(page.getByRole("button", { name: "Load earlier steps" })).toHaveCount(0);
  await expect(box, "the list keeps the focus").toBeFocused();

  await box.evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(page.getByRole("button", { name: new RegExp(intentOf(1)) })).toBeVisible();
  await expect(stepAt(1)).toContainText(intentOf(1));

  // A link to one of many steps shows it; closing it returns the focus.
  const detail = page.getByRole("complementary", { name: "Selected step" });
  await page.goto(`${stack.authUrl}/console?event=${id?.replace("event-", "")}`);
  await expect(detail.getByRole("heading", { level: 2 })).toBeFocused();
  await expect(row).toBeInViewport();
  await page.keyboard.press("Escape");
  await expect(row).toBeFocused();
  await row.press("Enter");
  await expect(detail.getByRole("heading", { level: 2 })).toBeFocused();
  await box.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await expect(row).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(detail).toHaveCount(0);
  await expect(box).toBeFocused();
});

function madeUpStep(id: number) {
  return {
    id: String(id),
    kind: "control",
    at: new Date(id).toISOString(),
    client_time: new Date(id).toISOString(),
    duration_ms: 1,
    trace_id: null,
    joins: [],
    request: null,
    response: null,
    operation: "madeUp",
    method: "POST",
    path: `/made-up/${id}`,
    status: 200,
  };
}

async function signIn(page: Page, clientId: string, clientSecret: string): Promise<void> {
  await page.getByLabel("Client id").fill(clientId);
  await page.getByLabel("Client secret").fill(clientSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
}
