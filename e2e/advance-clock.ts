import { expect, type Locator, type Page } from "@playwright/test";

/** Fast-forwards the page's clock, and so its polling, until `shown` is visible. Install the clock first. */
export async function advanceClockUntil(page: Page, shown: Locator): Promise<void> {
  await expect(async () => {
    await page.clock.fastForward(5000);
    await expect(shown).toBeVisible({ timeout: 250 });
  }).toPass({ intervals: [50] });
}
