import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

const widths = [360, 1280];
const schemes = ["light", "dark"] as const;
const rulesOfColors = ["color-contrast", "link-in-text-block"];

/**
 * Looks at a page as people do, on a phone and on a desk, by day and by night: nothing that axe objects to, nothing that
 * scrolls sideways. With PICTURES set to a folder, keeps what it saw there.
 * @param onlyOnPhone selects what a phone alone shows, on a page whose colours take long to judge: there only its own are
 * judged, and those of the rest on the desk
 */
export async function lookAt(page: Page, name: string, { onlyOnPhone }: { onlyOnPhone?: string } = {}): Promise<void> {
  // The title comes by itself, a moment after the page that it belongs to.
  await expect(page).toHaveTitle(/./);
  const before = page.viewportSize();
  const words: string[][] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    if (onlyOnPhone) words.push(await shownWords(page));
    const part = width === Math.min(...widths) ? onlyOnPhone : undefined;
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const found = [...(await objectionsTo(page, colorScheme, part)), ...(part ? await colorsOf(page, part) : [])];
      expect(found, `${name} at ${width} px, ${colorScheme}`).toEqual([]);
      const folder = process.env["PICTURES"];
      if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  const [onPhone = [], onDesk = []] = words;
  const alone = onlyOnPhone ? await page.locator(onlyOnPhone).allTextContents() : [];
  expect(onPhone.filter((line) => !onDesk.includes(line) && !alone.includes(line))).toEqual([]);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before) await page.setViewportSize(before);
}

type Violation = { id: string; nodes: { html: string }[] };
type Question = { part?: string; options: object };

/** What axe objects to: by day by all rules, and by night, when nothing but colours is another, by theirs. */
async function objectionsTo(page: Page, scheme: "light" | "dark", part: string | undefined): Promise<string[]> {
  const withoutColors = { rules: Object.fromEntries(rulesOfColors.map((rule) => [rule, { enabled: false }])) };
  if (scheme === "light") return ask(page, { options: part ? withoutColors : {} });
  return part ? [] : ask(page, { options: onlyColors });
}

function colorsOf(page: Page, part: string): Promise<string[]> {
  return ask(page, { part, options: onlyColors });
}

const onlyColors = { runOnly: { type: "rule", values: rulesOfColors } };

async function ask(page: Page, { part, options }: Question): Promise<string[]> {
  // Taking half a megabyte of axe to the page costs as much as asking it, so it is done once a page.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const question = { options: { resultTypes: ["violations"], ...options }, ...(part && { part }) };
  const violations = await page.evaluate(askAxe, question);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

async function askAxe({ part, options }: Question): Promise<Violation[]> {
  const inPage: { run: (on: Document | string, options: object) => Promise<{ violations: Violation[] }> } = Reflect.get(
    window,
    "axe",
  );
  const { violations } = await inPage.run(part ?? document, options);
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) }));
}

function shownWords(page: Page): Promise<string[]> {
  // biome-ignore lint/performance/useDomNodeTextContent: only what is shown at this width counts
  return page.evaluate(() => document.body.innerText.split(/[\n\t]/));
}
