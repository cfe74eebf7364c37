import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

const widths = [360, 1280];
const schemes = ["light", "dark"] as const;
const rulesOfColors = ["color-contrast", "link-in-text-block"];

/**
 * Looks at a page as people do, on a phone and on a desk, by day and by night: nothing that axe objects to, nothing that
 * scrolls sideways, no word cut off. With PICTURES set to a folder, keeps what it saw there.
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
    expect(await page.evaluate(cutOff), `${name} at ${width} px has no room for them`).toEqual([]);
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

/** What has no room: words beyond the window or in a box that hides what is too wide, and forms wider than their place. */
function cutOff(): string[] {
  const found: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node.textContent?.trim();
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right, width } = range.getBoundingClientRect();
    if (!text || width === 0 || !node.parentElement || isForListeners(node.parentElement)) continue;
    const room = roomOf(node.parentElement);
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
    if (form.scrollWidth > form.clientWidth + 1) found.push(`a form wider than its place: ${form.textContent}`);
  }
  return found;

  /** From where to where a text in it is seen, or can be scrolled to. */
  function roomOf(element: Element): { left: number; right: number } {
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

  function isForListeners(element: Element): boolean {
    if (!element.checkVisibility({ visibilityProperty: true })) return true;
    for (let box: Element | null = element; box; box = box.parentElement) {
      if (getComputedStyle(box).clipPath !== "none") return true;
    }
    return false;
  }
}

// No selector per element: that rereads the style sheets for a rule that is not checked here.
const onlyWhatIsSaid = { resultTypes: ["violations"], selectors: false, preload: { assets: ["media"] } };

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
  const question = { options: { ...onlyWhatIsSaid, ...options }, ...(part && { part }) };
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
