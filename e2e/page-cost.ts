import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Response } from "@playwright/test";

/** What a page costs on a first visit. */
export type PageCost = { scriptBytes: number; layoutShift: number };

/**
 * Opens a page with nothing in the cache, until nothing more is loaded.
 * @returns the gzip bytes of every script that it ran, and its cumulative layout shift
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
  // A stream of events would be loading for ever.
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
