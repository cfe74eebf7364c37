import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const widths = [360, 1280];
const schemes = ["light", "dark"] as const;
const rulesOfColors = ["color-contrast", "link-in-text-block"];

/**
 * Looks at a page as people do, on a phone and on a desk, by day and by night: nothing that axe objects to, nothing that
 * scrolls sideways. With PICTURES set to a folder, keeps what it saw there.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // Without frames there is nothing to gather in a page of its own, and by night nothing but colours is another.
      const axe = new AxeBuilder({ page }).setLegacyMode();
      const { violations } = await (colorScheme === "light" ? axe : axe.withRules(rulesOfColors)).analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      expect(found, `${name} at ${width} px, ${colorScheme}`).toEqual([]);
      const folder = process.env["PICTURES"];
      if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before) await page.setViewportSize(before);
}
