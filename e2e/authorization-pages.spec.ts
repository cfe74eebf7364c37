import { expect, type Page } from "@playwright/test";
import { test } from "./journey.ts";
import { createSandboxClient } from "./sandbox-client.ts";

// Harbor's listener acts as the client; assertions read the redirect URL.
const callbackPath = "/callback";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("a wrong code, the right one, and Authorize return to the client with code, state, and iss", async ({
      page,
      stack,
    }) => {
      const client = await createSandboxClient(stack, `${stack.partnerUrl}${callbackPath}`);
      const arrived = waitForCallback(page, client.redirectUri);
      await page.goto(await client.addressFor());
      expect(new URL(page.url()).search).toBe("");
      const code = await client.readTextedCode();
      await enter(page, code === "000000" ? "000001" : "000000", javaScriptEnabled);
      await expect(page.getByText("That isn’t the code we texted you.", { exact: false }).first()).toBeVisible();
      await enter(page, code, javaScriptEnabled);
      await page.getByRole("button", { name: "Authorize" }).click();
      const answer = (await arrived).searchParams;
      expect(answer.get("code")).toMatch(/^gwc_[\w-]{43}$/);
      expect([answer.get("state"), answer.get("iss")]).toEqual(["a state", stack.serviceUrl]);
    });

    test("Cancel returns to the client with access_denied", async ({ page, stack }) => {
      const client = await createSandboxClient(stack, `${stack.partnerUrl}${callbackPath}`);
      const arrived = waitForCallback(page, client.redirectUri);
      await page.goto(await client.addressFor());
      await page.getByRole("button", { name: "Cancel" }).click();
      const answer = (await arrived).searchParams;
      expect([answer.get("error"), answer.get("code"), answer.get("state")]).toEqual([
        "access_denied",
        null,
        "a state",
      ]);
    });
  });
}

test("two tabs stay separate, and Back doesn't reopen a finished step", async ({ page, stack, context }) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}${callbackPath}`);
  await page.goto(await client.addressFor());
  const firstCode = await client.readTextedCode();
  const secondTab = await context.newPage();
  await secondTab.goto(await client.addressFor());
  expect(secondTab.url()).not.toBe(page.url());
  const visit = page.url();

  const arrived = waitForCallback(page, client.redirectUri);
  await enter(page, firstCode);
  await page.getByRole("button", { name: "Authorize" }).click();
  await arrived;
  await expect(secondTab.getByRole("textbox", { name: "Verification code" })).toBeVisible();
  await secondTab.reload();
  await expect(secondTab.getByRole("textbox", { name: "Verification code" })).toBeVisible();
  await page.goto(visit);
  await expect(page.getByRole("button", { name: "Authorize" })).toHaveCount(0);
});

test("every authorization page, redirect, and error forbids framing and leaks no referrer", async ({
  page,
  stack,
  request,
}) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}${callbackPath}`);
  const address = await client.addressFor();
  const wrong = await client.addressFor({ redirect_uri: "https://attacker.example/" });
  const refused = await client.addressFor({ response_type: "token" });
  const entry = await request.get(address, { maxRedirects: 0 });
  expect([entry.status(), entry.headers()["referrer-policy"]]).toEqual([303, "no-referrer"]);
  const sentBack = await request.get(refused, { maxRedirects: 0 });
  expect([sentBack.status(), sentBack.headers()["referrer-policy"]]).toEqual([303, "no-referrer"]);
  const problem = await request.get(wrong, { maxRedirects: 0 });
  expect([problem.status(), problem.headers()["referrer-policy"]]).toEqual([400, "no-referrer"]);
  const notFound = await request.get(`${stack.authUrl}/login/oauth/nowhere`, { headers: { accept: "text/html" } });
  expect(notFound.status()).toBe(404);
  const visit = await page.goto(await client.addressFor());
  expect(visit?.headers()["referrer-policy"]).toBe("same-origin");
  for (const headers of [problem.headers(), notFound.headers(), visit?.headers()]) {
    expect(headers?.["content-security-policy"]).toContain("frame-ancestors 'none'");
  }
});

test("one app's server actions don't exist at the other's gateway", async ({ page, stack }) => {
  const client = await createSandboxClient(stack, `${stack.partnerUrl}${callbackPath}`);
  await page.goto(await client.addressFor());
  const ofService = await formsOf(page, page.url());
  const ofPartner = await formsOf(page, `${stack.partnerUrl}/sign-in`);
  expect(Math.min(ofService.length, ofPartner.length)).toBeGreaterThan(0);

  const post = async (origin: string, path: string, fields: Record<string, string>) => {
    const options = { multipart: fields, headers: { origin }, maxRedirects: 0 };
    return (await page.request.post(`${origin}${path}`, options)).status();
  };
  const visit = new URL(page.url()).pathname;
  // Next answers 409 for an action that its page can't call; each action's own check answers 404.
  for (const fields of ofService) expect([404, 409]).toContain(await post(stack.partnerUrl, "/sign-in", fields));
  for (const fields of ofPartner) expect([404, 409]).toContain(await post(stack.authUrl, visit, fields));
  // Cancel was one of them and had no effect; posted to its own app, it works.
  await page.reload();
  await expect(page.getByRole("button", { name: "Verify" })).toBeVisible();
  const answers: number[] = [];
  for (const fields of ofService) answers.push(await post(stack.authUrl, visit, fields));
  expect(answers).toContain(303);
  for (const status of answers) expect([200, 303]).toContain(status);
});

/** The hidden fields of each form, which name the server actions. */
async function formsOf(page: Page, address: string): Promise<Record<string, string>[]> {
  const html = await (await page.request.get(address)).text();
  return [...html.matchAll(/<form.*?<\/form>/gs)]
    .map(([form]) => {
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)];
      return Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"')]));
    })
    .filter((fields) => Object.keys(fields).some((name) => name.startsWith("$ACTION")));
}

/** Types the code; with scripts, the last digit submits it. */
async function enter(page: Page, code: string, javaScriptEnabled = true): Promise<void> {
  await page.getByRole("textbox", { name: "Verification code" }).fill(code);
  if (!javaScriptEnabled) await page.getByRole("button", { name: "Verify" }).click();
}

/** The client URL the person first returns to. */
async function waitForCallback(page: Page, redirectUri: string): Promise<URL> {
  const request = await page.waitForRequest((sent) => sent.url().startsWith(redirectUri));
  return new URL(request.url());
}
