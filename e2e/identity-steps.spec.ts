import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { balanceOn, fillInDate } from "./harbor.ts";
import { onboardByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";
import { createSandboxClient } from "./sandbox-client.ts";

const mebibyte = 1024 * 1024;
// Just enough bytes to be recognized as a PNG.
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

test("a seller with mismatched details corrects them once and reaches the dashboard", async ({
  page,
  seller,
  stack,
}) => {
  await onboardByHttp(page, stack.partnerUrl, seller, "123450003");
  await page.goto(`${stack.partnerUrl}/onboarding/status`);
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Authorize" })).toHaveCount(0);
  await expect(page).toHaveTitle("Check two details · Plainbook");
  await checkPage(page, "retry");
  await correct(page, "02/30/1990", "6789");
  await expect(page.getByRole("alert").filter({ hasText: "nine digits" })).toBeVisible();
  await checkPage(page, "retry-refused");
  await page.reload();
  await expect(
    page.getByText("Enter all nine digits of your Social Security number, as shown on your card.").first(),
  ).toBeVisible();
  await correct(page, "01/31/1990", "123-45-6789");
  await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
  await expect(page).toHaveTitle("Authorize · Plainbook");
  await checkPage(page, "consent-while-checked");
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
  await expect(balanceOn(page)).toBeVisible();
});

test("a seller asked for a photo ID uploads it and reaches the dashboard", async ({ page, seller, stack }) => {
  await onboardByHttp(page, stack.partnerUrl, seller, "123450004");
  await page.goto(`${stack.partnerUrl}/onboarding/status`);
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  await expect(page.getByRole("button", { name: "Upload" })).toBeVisible();
  await expect(page).toHaveTitle("Upload a photo ID · Plainbook");
  await checkPage(page, "document");
  await upload(page, "photo.png", Buffer.from("<html>"));
  await expect(page.getByText("This file isn’t a JPEG, PNG, or PDF").first()).toBeVisible();
  await checkPage(page, "document-refused");
  await upload(page, "photo.html", png);
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(`${stack.partnerUrl}/dashboard`);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("two details are corrected after the code and before consent", async ({ page, stack }) => {
      const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`, { status: "retry" });
      await page.goto(await client.addressFor());
      await verify(page, await client.readTextedCode(), javaScriptEnabled);
      await correct(page, "tomorrow", "12");
      await expect(
        page.getByText("Enter all nine digits of your Social Security number, as shown on your card.").first(),
      ).toBeVisible();
      await expect(page.getByRole("textbox", { name: "Social security number" })).toHaveValue("");
      await correct(page, "01/31/1990", "123456789");
      await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
      await expect.poll(client.readStatus).toBe("approved");
      await expectArrivalWithCode(page, client.redirectUri);
    });

    test("a photo ID is uploaded, and an oversized file gets an error message", async ({ page, stack }) => {
      const client = await createSandboxClient(stack, `${stack.partnerUrl}/callback`, { status: "document" });
      await page.goto(await client.addressFor());
      await verify(page, await client.readTextedCode(), javaScriptEnabled);
      for (const bytes of [5 * mebibyte + 1, 30 * mebibyte]) {
        await upload(page, "photo.png", pngOf(bytes));
        await expect(page.getByText("larger than 5 MB").first()).toBeVisible();
        await page.reload();
      }
      await upload(page, "photo.png", pngOf(5 * mebibyte));
      await expect(page.getByRole("button", { name: "Authorize" })).toBeVisible();
      await expect.poll(client.readStatus).toBe("approved");
      await page.goBack();
      await page.reload();
      await expect(page.getByRole("button", { name: "Upload" })).toHaveCount(0);
      await expectArrivalWithCode(page, client.redirectUri);
    });
  });
}

function pngOf(bytes: number): Buffer {
  return Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
}

/** Types the code; with scripts, the last digit submits it. */
async function verify(page: Page, code: string, javaScriptEnabled: boolean): Promise<void> {
  await page.getByRole("textbox", { name: "Verification code" }).fill(code);
  if (!javaScriptEnabled) await page.getByRole("button", { name: "Verify" }).click();
}

async function correct(page: Page, dateOfBirth: string, ssn: string): Promise<void> {
  await fillInDate(page, dateOfBirth);
  await page.getByRole("textbox", { name: "Social security number" }).fill(ssn);
  await page.getByRole("button", { name: "Send" }).click();
}

async function upload(page: Page, name: string, content: Buffer): Promise<void> {
  // By path, because a buffer this large would be sent and traced as text.
  const file = join(test.info().outputPath(), name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await page.getByLabel("Photo ID").setInputFiles(file);
  await page.getByRole("button", { name: "Upload" }).click();
}

async function expectArrivalWithCode(page: Page, redirectUri: string): Promise<void> {
  const arrived = page.waitForRequest((sent) => sent.url().startsWith(redirectUri));
  await page.getByRole("button", { name: "Authorize" }).click();
  expect(new URL((await arrived).url()).searchParams.get("code")).toMatch(/^gwc_/);
}
