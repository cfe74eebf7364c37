import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Response } from "@playwright/test";

export type PageCost = { scriptBytes: number; layoutShift: number };

/**
 * Loads a page with an empty cache.
 * @returns the gzipped bytes of its scripts, and its cumulative layout shift
 */
export async function measurePage(
  browser: Browser,
  address: string,
  storageState: BrowserContextOptions["storageState"],
): Promise<PageCost> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    ...(storageState && { storageState }),
  });
  const page = await context.newPage();
  const scripts: Response[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.push(response);
  });
  // With an event stream, the page would never finish loading.
  await page.route("**/*", (route) =>
    route.request().resourceType() === "eventsource" ? route.abort() : route.fallback(),
  );
  await page.addInitScript(() => {
    Object.assign(window, { layoutShift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if ("value" in entry && "hadRecentInput" in entry && !entry.hadRecentInput) {
          Object.assign(window, { layoutShift: Number(Reflect.get(window, "layoutShift")) + Number(entry.value) });
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(address, { waitUntil: "networkidle" });
  const bodies = await Promise.all(scripts.map((script) => script.body()));
  const layoutShift = await page.evaluate(() => Number(Reflect.get(window, "layoutShift")));
  await context.close();
  return { scriptBytes: bodies.reduce((sum, body) => sum + gzipSync(body).length, 0), layoutShift };
}
