import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

const widths = [360, 1280];
const schemes = ["light", "dark"] as const;
const colorRules = ["color-contrast", "link-in-text-block"];

/**
 * Checks a page on phone and desktop, in light and dark mode: no axe violations, horizontal scrolling, or clipped text. Saves
 * screenshots to the folder in PICTURES, if set.
 * @param onlyOnPhone selects the phone-only part of a page whose colors are slow to check; the rest is checked on desktop
 */
export async function checkPage(
  page: Page,
  name: string,
  { onlyOnPhone }: { onlyOnPhone?: string } = {},
): Promise<void> {
  // The title arrives shortly after the page.
  await expect(page).toHaveTitle(/./);
  const before = page.viewportSize();
  const words: string[][] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    expect(await page.evaluate(clippedText), `${name} at ${width} px clips text`).toEqual([]);
    if (onlyOnPhone) words.push(await visibleLines(page));
    const part = width === Math.min(...widths) ? onlyOnPhone : undefined;
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const found = [...(await violationsOn(page, colorScheme, part)), ...(part ? await colorsOf(page, part) : [])];
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

/** Text clipped by the window or a box, and overflowing forms. */
function clippedText(): string[] {
  const found: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node.textContent?.trim();
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right, width } = range.getBoundingClientRect();
    if (!text || width === 0 || !node.parentElement || isScreenReaderOnly(node.parentElement)) continue;
    const room = visibleRange(node.parentElement);
    if (left < room.left - 1 || right > room.right + 1) found.push(text);
  }
  for (const input of document.querySelectorAll<HTMLInputElement>("input[placeholder]:placeholder-shown")) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(input);
    const pen = document.createElement("canvas").getContext("2d");
    if (!pen || input.clientWidth === 0) continue;
    pen.font = font;
    const room = input.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    if (pen.measureText(input.placeholder).width > room + 1) found.push(input.placeholder);
  }
  for (const form of document.forms) {
    if (form.scrollWidth > form.clientWidth + 1) found.push(`overflowing form: ${form.textContent}`);
  }
  return found;

  /** The horizontal range visible or scrollable in an element. */
  function visibleRange(element: Element): { left: number; right: number } {
    let [begin, end] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let box: Element | null = element; box; box = box.parentElement) {
      const { overflowX } = getComputedStyle(box);
      if (
        overflowX !== "visible" &&
        overflowX !== "hidden" &&
        overflowX !== "clip" &&
        box.scrollWidth > box.clientWidth
      )
        return { left: begin, right: end };
      if (overflowX === "visible") continue;
      const { left, right } = box.getBoundingClientRect();
      [begin, end] = [Math.max(begin, left), Math.min(end, right)];
    }
    return { left: Math.max(begin, 0), right: Math.min(end, window.innerWidth) };
  }

  function isScreenReaderOnly(element: Element): boolean {
    if (!element.checkVisibility({ visibilityProperty: true })) return true;
    for (let box: Element | null = element; box; box = box.parentElement) {
      if (getComputedStyle(box).clipPath !== "none") return true;
    }
    return false;
  }
}

// Selectors are off: they would reload style sheets for an unused rule.
const fastOptions = { resultTypes: ["violations"], selectors: false, preload: { assets: ["media"] } };

type Violation = { id: string; nodes: { html: string }[] };
type AxeRun = { part?: string; options: object };

/** All axe rules in light mode, and only the color rules in dark mode. */
async function violationsOn(page: Page, scheme: "light" | "dark", part: string | undefined): Promise<string[]> {
  const withoutColors = { rules: Object.fromEntries(colorRules.map((rule) => [rule, { enabled: false }])) };
  if (scheme === "light") return runAxe(page, { options: part ? withoutColors : {} });
  return part ? [] : runAxe(page, { options: onlyColors });
}

function colorsOf(page: Page, part: string): Promise<string[]> {
  return runAxe(page, { part, options: onlyColors });
}

const onlyColors = { runOnly: { type: "rule", values: colorRules } };

async function runAxe(page: Page, { part, options }: AxeRun): Promise<string[]> {
  // Injecting axe costs as much as running it, so inject it once per page.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const run = { options: { ...fastOptions, ...options }, ...(part && { part }) };
  const violations = await page.evaluate(runAxeInPage, run);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

async function runAxeInPage({ part, options }: AxeRun): Promise<Violation[]> {
  const inPage: { run: (on: Document | string, options: object) => Promise<{ violations: Violation[] }> } = Reflect.get(
    window,
    "axe",
  );
  const { violations } = await inPage.run(part ?? document, options);
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) }));
}

function visibleLines(page: Page): Promise<string[]> {
  // biome-ignore lint/performance/useDomNodeTextContent: only visible text counts
  return page.evaluate(() => document.body.innerText.split(/[\n\t]/));
}
