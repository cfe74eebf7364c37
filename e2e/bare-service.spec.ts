import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, type Page } from "@playwright/test";
import { type BareService, startBareService } from "../lab/conformance/testing/bare-service.ts";
import { startStack } from "../scripts/test-stack.ts";
import { checkPage } from "./check-page.ts";
import { connectBusiness, openDeveloperData } from "./harbor.ts";
import { onboardByHttp, payByHttp, signInAsByHttp } from "./http-shortcuts.ts";
import { type Person, test } from "./journey.ts";

// Harbor against a service built only from the published interface, which decides everything else differently. Harbor
// runs unchanged, with the settings from docs/going-live.md.

/** The page's block of settings, with `<name>` placeholders filled in. */
function readDocumentedSettings(values: Record<string, string>): Record<string, string> {
  const page = readFileSync("docs/going-live.md", "utf8");
  const [, block = ""] = /```sh\n(PARTNER_[\s\S]*?)```/.exec(page) ?? [];
  const filledIn = block.replaceAll(/<(\w+)>/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`docs/going-live.md names <${name}>, which has no value here.`);
    return value;
  });
  return Object.fromEntries(Object.entries(parseEnv(filledIn)).map(([name, value]) => [name, value ?? ""]));
}

test("Harbor onboards, pays, tracks, refreshes, and disconnects at a service with different decisions", async ({
  browser,
  page,
  seller,
}) => {
  // This service has only the published calls.
  const service = await startBareService({ habits: { readsIntents: false } });
  const { baseUrl, clientId, clientSecret, webhooks, business } = service;
  const harbor = await startStack({
    postgresUrl: process.env["TEST_POSTGRES_URL"] ?? "",
    apart: false,
    only: ["partner", "partner-worker"],
    settings: readDocumentedSettings({
      ...{ base_url: baseUrl, client_id: clientId, client_secret: clientSecret },
      ...{ webhook_secret: webhooks.secret, business_user_id: business.userId, business_user_phone: business.phone },
    }),
  });
  const { partnerUrl } = harbor;
  try {
    await callOperator(service, "PUT", "client", {
      redirect_uris: [`${partnerUrl}/callback`],
      customers_url: partnerUrl,
    });
    await callOperator(service, "PUT", "webhook_endpoint", { url: `${partnerUrl}/webhooks` });

    await test.step("onboarding: a webhook announces a decision that no record shows", async () => {
      await onboardByHttp(page, partnerUrl, seller);
      await page.goto(`${partnerUrl}/onboarding/status`);
      const intent = service.books().intents.find(({ email }) => email === seller.email);
      await callOperator(service, "POST", `user_intents/${intent?.id}/status`, { status: "approved" });
      await expect(page.getByRole("heading", { name: "Please continue at our payment service" })).toBeVisible();
      await checkPage(page, "bare-service-offered");
    });

    await test.step("authorization and callback", async () => {
      await page.getByRole("button", { name: "Continue to authorize" }).click();
      await page.getByRole("button", { name: "Authorize" }).click();
      await expect(page).toHaveURL(`${partnerUrl}/dashboard`);
      await expectRecordOf(page, seller);
      await expect(page.getByRole("contentinfo").getByRole("link")).toHaveText(["Bare Books"]);
      await checkPage(page, "bare-service-dashboard");
    });

    const office = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const operator = await office.newPage();
    await test.step("a payment, tracked to its end", async () => {
      await signInAsByHttp(operator, partnerUrl, /operator/);
      await connectBusiness(operator, partnerUrl);
      await operator.goto(await payByHttp(operator, partnerUrl, { seller, amount: "125.50" }));
      await expect(operator.getByText("Transfer on its way")).toBeVisible();
      const [payment] = service.books().payments;
      await callOperator(service, "POST", `transfers/${payment?.transferId}/status`, { status: "processed" });
      await expect(operator.getByText("Transfer credited")).toBeVisible();
      await checkPage(operator, "bare-service-payment");
      expect(service.books().payments.map(({ usd }) => usd)).toEqual([125.5]);
    });

    await test.step("a webhook needs a valid digest", async () => {
      const body = JSON.stringify({ kind: "transfer.done", about: "t1" });
      const digest = createHmac("sha256", webhooks.secret).update(body).digest("hex");
      const send = (headers: Record<string, string>) =>
        page.request.post(`${partnerUrl}/webhooks`, { data: body, headers });
      expect((await send({ [webhooks.header]: `sha256=${digest}` })).status()).toBe(202);
      expect((await send({ [webhooks.header]: `sha256=${digest.replaceAll(/[0-7]/g, "8")}` })).status()).toBe(401);
      expect((await send({})).status()).toBe(401);
    });

    await test.step("a token that expired only on the service's clock is refreshed", async () => {
      await callOperator(service, "POST", "clock/advance", { seconds: 2 * 60 * 60 + 1 });
      expect(service.books().refreshes).toBe(0);
      await page.reload();
      await expectRecordOf(page, seller);
      expect(service.books().refreshes).toBe(1);
    });

    await test.step("disconnecting says the service can't revoke the authorization", async () => {
      await page.getByRole("button", { name: "Disconnect" }).click();
      await page.getByRole("button", { name: "Yes, disconnect" }).click();
      await expect(page.getByText("Bare Books can't end it right away.")).toBeVisible();
      await expect(page.getByRole("heading", { name: "You disconnected Harbor" })).toBeVisible();
      await expect(page.getByText("You can be paid")).toHaveCount(0);
      await checkPage(page, "bare-service-disconnected");
    });
    await office.close();
  } finally {
    await harbor.stop();
    await service.stop();
  }
});

async function callOperator(
  { baseUrl, clientId, clientSecret }: BareService,
  method: string,
  path: string,
  body: object,
) {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  const answer = await fetch(`${baseUrl}/sandbox/${path}`, {
    method,
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.ok, `${method} ${path}: ${await answer.text()}`).toBe(true);
}

async function expectRecordOf(page: Page, { email }: Person): Promise<void> {
  await openDeveloperData(page);
  await expect(page.getByText(email)).toBeVisible();
}
