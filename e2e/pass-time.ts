import { expect, type Locator, type Page } from "@playwright/test";

/** Lets a page's own time pass, after which it asks again, until this is shown. Its clock was installed before it was opened. */
export async function passTimeUntil(page: Page, shown: Locator): Promise<void> {
  await expect(async () => {
    await page.clock.fastForward(5000);
    await expect(shown).toBeVisible({ timeout: 250 });
  }).toPass({ intervals: [50], timeout: 30_000 });
}
