import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import sharp from "sharp";
import { startDemo } from "../../e2e/running-demo.ts";
import { takeTour } from "../../e2e/tour.ts";
import { ensureBuild } from "../../scripts/ensure-build.ts";
import { findBrowser } from "../../scripts/find-browser.ts";

// `npm run tour` takes the pictures of docs/tour.md by running the tour in its own demo.

const viewport = { width: 1120, height: 760 };

await ensureBuild(".next-test", say);
const demo = await startDemo();
const folder = mkdtempSync(join(tmpdir(), "tour-"));
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: findBrowser(say), args });
try {
  const page = await (await browser.newContext({ viewport })).newPage();
  page.setDefaultTimeout(30_000);
  await takeTour({ page, demo, see: picture, folder });
} finally {
  await browser.close();
  await demo.stop();
  rmSync(folder, { recursive: true });
}

async function picture(page: Page, name: string): Promise<void> {
  const file = `docs/images/tour-${name}.webp`;
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
  await sharp(await page.screenshot({ animations: "disabled" }))
    .webp({ quality: 80 })
    .toFile(file);
  say(file);
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
