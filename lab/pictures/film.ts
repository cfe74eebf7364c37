import type { Page } from "@playwright/test";
import sharp from "sharp";

type Frame = { picture: Buffer; at: number };
const holdMs = 3_000;

/** Captures a page continuously until `end`, which writes an animated WebP that holds its last frame. */
export function film(page: Page): { end: (file: string) => Promise<void> } {
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
