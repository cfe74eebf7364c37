import { expect as anyExpect, chromium, type Page } from "@playwright/test";
import sharp from "sharp";
import { connectBusiness, fillInPayment, onboard, signInAs, signUp } from "../../e2e/harbor.ts";
import { newPhone } from "../../lib/kit/testing/phones.ts";
import { ensureBuild } from "../../scripts/ensure-build.ts";
import { findBrowser } from "../../scripts/find-browser.ts";
import { startTestCluster } from "../../scripts/test-cluster.ts";
import { startStack } from "../../scripts/test-stack.ts";

// `npm run pictures:readme` takes the README's pictures from the real app.

const expect = anyExpect.configure({ timeout: 30_000 });
type Frame = { picture: Buffer; at: number };
const holdMs = 3_000;
const desk = { width: 1120, height: 760 };
const phone = { width: 390, height: desk.height };
const seller = {
  firstName: "Marta",
  lastName: "Quay",
  email: "marta@quay.example",
  phone: newPhone(),
  password: "a long harbour password",
};

await ensureBuild(".next-test", say);
const cluster = await startTestCluster("pictures");
const stack = await startStack({ postgresUrl: cluster.url("postgres"), apart: false });
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: findBrowser(say), args });
try {
  const page = await browser.newPage({ viewport: desk });
  await signUp(page, stack.partnerUrl, seller);
  await onboard(page, { ssn: "123456789", metadata: ["shop", "Quay & Sons"] });
  await page.getByRole("button", { name: "Continue to authorize" }).click();
  const consent = await pictureConsent(page);
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page.getByRole("table", { name: "Accounts" })).toBeVisible();

  const operator = await (await browser.newContext({ viewport: desk })).newPage();
  await signInAs(operator, stack.partnerUrl, /operator/);
  await connectBusiness(operator, stack.partnerUrl);
  await fillInPayment(operator, stack.partnerUrl, { seller, amount: "125.50" });
  await operator.getByRole("button", { name: "Review" }).click();

  const movie = film(page);
  await operator.getByRole("button", { name: "Confirm and pay" }).click();
  await expect(operator.getByText("Transfer processed")).toBeVisible();
  const arrived = page.getByRole("table", { name: "Accounts" }).getByText("$125.50").first();
  if (!(await arrived.isVisible())) await page.reload();
  await expect(arrived).toBeVisible();
  await movie.end("docs/images/money-arrives.webp");

  const dashboard = await page.screenshot();
  await beside([dashboard, consent], "docs/images/journey.png");
} finally {
  await browser.close();
  await stack.stop();
  cluster.stop();
}

/** Captures a page continuously until `end`, which writes an animated WebP that holds its last frame. */
function film(page: Page): { end: (file: string) => Promise<void> } {
  const frames: Frame[] = [];
  let isRunning = true;
  const filming = run();
  filming.catch(() => undefined);

  async function run(): Promise<void> {
    while (isRunning) {
      const picture = await page.screenshot();
      if (!frames.at(-1)?.picture.equals(picture)) frames.push({ picture, at: performance.now() });
    }
  }

  async function end(file: string): Promise<void> {
    isRunning = false;
    await filming;
    const delay = frames.map(({ at }, index) => Math.round((frames[index + 1]?.at ?? at + holdMs) - at));
    const pictures = frames.map(({ picture }) => picture);
    await sharp(pictures, { join: { animated: true } })
      .webp({ delay, loop: 0, quality: 82 })
      .toFile(file);
  }

  return { end };
}

/** The consent page on a phone down to Cancel; the text below contains this run's URL. */
async function pictureConsent(page: Page): Promise<Buffer> {
  await page.setViewportSize(phone);
  const cancel = await page.getByRole("button", { name: "Cancel" }).boundingBox();
  if (!cancel) throw new Error("The consent page has no Cancel button.");
  const height = Math.round(cancel.y + cancel.height + 16);
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: phone.width, height } });
  await page.setViewportSize(desk);
  return picture;
}

async function beside([left, right]: [Buffer, Buffer], file: string): Promise<void> {
  const gap = 16;
  const picture = sharp({
    create: { width: desk.width + gap + phone.width, height: desk.height, channels: 4, background: "#00000000" },
  });
  const parts = [
    { input: left, left: 0, top: 0 },
    { input: right, left: desk.width + gap, top: 0 },
  ];
  await picture.composite(parts).png({ compressionLevel: 9 }).toFile(file);
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
