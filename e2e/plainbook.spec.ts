import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { test } from "./journey.ts";
import { createSandboxClient } from "./sandbox-client.ts";

const run = promisify(execFile);

test("the home page's quickstart works when pasted into a shell", async ({ page, stack, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${stack.serviceUrl}/`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await checkPage(page, "plainbook-front");
  const commands: string[] = [];
  for (const step of await page
    .getByRole("listitem")
    .filter({ has: page.locator("pre") })
    .all()) {
    await step.getByRole("button", { name: "Copy" }).click();
    commands.push(await page.evaluate(() => navigator.clipboard.readText()));
    expect(commands.at(-1)).toBe(await step.locator("code").last().textContent());
  }
  const [newClient = "", register = "", read = "", authorize = "", exchange = "", user = "", webhooks = ""] = commands;
  expect(commands).toHaveLength(7);

  const printAll = 'printf "\\n%s" "$CLIENT_ID" "$CLIENT_SECRET" "$INTENT"';
  const { stdout } = await run("bash", ["-c", `${newClient}\n${register}\n${printAll}`]);
  const [CLIENT_ID = "", CLIENT_SECRET = "", intentId = ""] = stdout.trim().split("\n").slice(-3);
  const env = { ...process.env, CLIENT_ID, CLIENT_SECRET, INTENT: intentId };
  const answerTo = async (command: string) => JSON.parse((await run("bash", ["-c", command], { env })).stdout);
  await expect.poll(async () => (await answerTo(read)).status).toBe("approved");
  await expect.poll(async () => JSON.stringify(await answerTo(webhooks))).toContain(intentId);

  const printed = (await run("bash", ["-c", authorize], { env })).stdout.trim().split("\n");
  await page.route("http://localhost:8080/**", (route) => route.fulfill({ body: "back at the app" }));
  await page.goto(printed.at(-1) ?? "");
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page.getByText("back at the app")).toBeVisible();
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  const exchanged = `${exchange.replace("the-code-from-the-address", code)}\n${user}`;
  expect((await run("bash", ["-c", exchanged], { env })).stdout).toContain('"user_type":"personal"');
});

test("the reference runs the calls it describes, and switches to a client it creates", async ({ page, stack }) => {
  await page.goto(`${stack.serviceUrl}/docs#createUserIntent`);
  const tryIt = (id: string) => page.locator(`[id="${id}"]`);
  const send = async (id: string) => {
    await tryIt(id).getByText("Try it").click();
    await tryIt(id).getByRole("button", { name: "Send" }).click();
    await expect(tryIt(id).getByRole("status")).toHaveText(/^\d{3} after/);
    return tryIt(id).getByRole("group", { name: /^Answer: / });
  };
  const intent = JSON.parse((await (await send("createUserIntent")).textContent()) ?? "");
  expect(intent).toMatchObject({ status: "pending" });
  await expect(await send("readUser")).toContainText('"reason": "missing_token"');
  await send("createSandboxClient");
  await expect(page.getByText("The next call uses this client.")).toBeVisible();
  // Another client's intent isn't visible.
  await tryIt("readUserIntent").getByText("Try it").click();
  await tryIt("readUserIntent").getByLabel("id path, required").fill(intent.id);
  await tryIt("readUserIntent").getByRole("button", { name: "Send" }).click();
  await expect(tryIt("readUserIntent").getByRole("group", { name: /^Answer: / })).toContainText(
    '"reason": "not_found"',
  );
  await checkPage(page, "plainbook-docs", { onlyOnPhone: ".toc > summary" });
});

test("status, terms, privacy, and 404 pages have Plainbook's brand; Harbor has its own", async ({ page, stack }) => {
  for (const name of ["status", "terms", "privacy"]) {
    await page.goto(`${stack.serviceUrl}/${name}`);
    await checkPage(page, `plainbook-${name}`);
  }
  for (const [app, address] of [
    ["Plainbook", `${stack.serviceUrl}/login/oauth/nowhere`],
    ["Harbor", `${stack.partnerUrl}/sign-in/nowhere`],
  ]) {
    const answer = await page.goto(address ?? "");
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("banner")).toContainText(app ?? "");
    await checkPage(page, `not-found-${app}`);
    await page.getByRole("link", { name: "Go to the home page" }).click();
    await expect(page).toHaveURL(/:\d+\/$/);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  await page.getByRole("contentinfo").getByRole("link", { name: "its console" }).click();
  await expect(page).toHaveURL(`${stack.authUrl}/console/sign-in`);
});

test("on a small phone: a wrong code keeps the focus, a new one clears the error, and one tap enters the code", async ({
  page,
  stack,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`);
  await page.goto(await client.addressFor());
  const field = page.getByRole("textbox", { name: "Verification code" });
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute("autocomplete", "one-time-code");
  await field.pressSequentially((await client.readTextedCode()) === "000000" ? "000001" : "000000");
  await expect(page.getByText("That isn’t the code we texted you.")).toBeVisible();
  await expect(field).toBeFocused();
  const resend = page.getByRole("button", { name: "Resend code" });
  await expect(resend).toBeDisabled();
  await client.advanceClock(31);
  await page.reload();
  await resend.click();
  await expect(page.getByText("We texted you a new code")).toBeVisible();
  await expect(page.getByText("That isn’t the code we texted you.")).toHaveCount(0);
  await expect(page.getByText(/^Available in \d+ s$/)).toBeVisible();

  const phone = page.getByRole("button", { name: /^Sandbox phone/ });
  await phone.click();
  const [above, below] = [
    await page.getByRole("region", { name: "Sandbox phone" }).boundingBox(),
    await field.boundingBox(),
  ];
  expect(above?.height).toBeGreaterThan(0);
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  await checkPage(page, "plainbook-code");
  const newest = await client.readTextedCode();
  await page.getByRole("button", { name: `Enter code ${newest}` }).click();
  await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
});

test("a form without a response keeps its input and can be resubmitted", async ({ page, context, seller, stack }) => {
  await page.goto(`${stack.partnerUrl}/sign-up`);
  await page.getByLabel("First name").fill(seller.firstName);
  await page.getByLabel("Last name").fill(seller.lastName);
  await page.getByLabel("Email").fill(seller.email);
  await page.getByLabel("Mobile phone").fill(seller.phone);
  await page.getByLabel("Password").fill(seller.password);
  await context.setOffline(true);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("We didn't get an answer")).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue(seller.email);
  await context.setOffline(false);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("textbox", { name: "Verification code" })).toBeFocused();
});
