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
      // By night nothing but colours is another.
      const found = await objectionsTo(page, colorScheme === "light" ? [] : rulesOfColors);
      expect(found, `${name} at ${width} px, ${colorScheme}`).toEqual([]);
      const folder = process.env["PICTURES"];
      if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before) await page.setViewportSize(before);
}

type Violation = { id: string; nodes: { html: string }[] };

/** What axe objects to, by these rules alone or by all of them. */
async function objectionsTo(page: Page, rules: string[]): Promise<string[]> {
  const options = {
    resultTypes: ["violations" as const],
    ...(rules.length > 0 && { runOnly: { type: "rule" as const, values: rules } }),
  };
  // Taking half a megabyte of axe to the page costs as much as asking it, so it is done once a page. Without frames there is
  // nothing to gather in a page of its own.
  const isThere = await page.evaluate(() => "axe" in window);
  const violations: Violation[] = isThere
    ? await page.evaluate(askAxe, options)
    : (await new AxeBuilder({ page }).setLegacyMode().options(options).analyze()).violations;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

async function askAxe(options: object): Promise<Violation[]> {
  const axe: { run: (on: Document, options: object) => Promise<{ violations: Violation[] }> } = Reflect.get(
    window,
    "axe",
  );
  const { violations } = await axe.run(document, options);
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) }));
}
