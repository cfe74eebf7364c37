import { expect } from "@playwright/test";
import { demoSandbox } from "./demo-sandbox.ts";
import { startEmptyPage } from "./empty-page.ts";
import { connectByHttp, openOfficeByHttp, signUpByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";
import { measurePage } from "./page-cost.ts";

// Gzipped script bytes, relative to an empty page on the same Next version.
// On public pages, 4 KB of it is the translation library.
const publicRatioMax = 1.14;
const signedInRatioMax = 1.35;
const layoutShiftMax = 0.03;

const publicPaths = ["/", "/sign-up", "/sign-in", "/callback/problem?reason=denied"];
const newSellerPaths = ["/onboarding"];
const sellerPaths = ["/dashboard"];
const operatorPaths = ["/business", "/routines", "/routines/new"];

test("no page loads much more script than an empty page, or shifts while loading", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  test.setTimeout(600_000);
  await connectByHttp(page, stack.partnerUrl, seller);
  const entrance = await browser.newContext();
  await signUpByHttp(entrance, stack.partnerUrl, newPerson());
  const newSellerState = await entrance.storageState();
  await entrance.close();
  const office = await browser.newContext();
  await openOfficeByHttp(office, stack.partnerUrl);
  const [sellerState, operatorState] = [await page.context().storageState(), await office.storageState()];
  await office.close();

  const empty = await startEmptyPage();
  const { scriptBytes: emptyBytes } = await measurePage(browser, empty.url, undefined);
  await empty.stop();
  // React and the router make up most of an empty page.
  expect(emptyBytes).toBeGreaterThan(100_000);

  const pages = [
    ...publicPaths.map((path) => ({ path, state: undefined, ratioMax: publicRatioMax })),
    ...newSellerPaths.map((path) => ({ path, state: newSellerState, ratioMax: signedInRatioMax })),
    ...sellerPaths.map((path) => ({ path, state: sellerState, ratioMax: signedInRatioMax })),
    ...operatorPaths.map((path) => ({ path, state: operatorState, ratioMax: signedInRatioMax })),
  ];
  const sandbox = demoSandbox(stack.serviceUrl);
  for (const { path, state, ratioMax } of pages) {
    // A page shows a skeleton while the service is slow, and a notice if it fails.
    await sandbox.slowNext("listAccounts", 300);
    await sandbox.failNext("readUser");
    const { scriptBytes, layoutShift } = await measurePage(browser, stack.partnerUrl + path, state);
    const ratio = scriptBytes / emptyBytes;
    test.info().annotations.push({ type: path, description: `${scriptBytes} bytes, ${ratio.toFixed(3)}` });
    process.stdout.write(
      `${path}: ${scriptBytes} of ${emptyBytes}, ${ratio.toFixed(3)}, CLS ${layoutShift.toFixed(4)}\n`,
    );
    expect.soft(ratio, `script of ${path}`).toBeLessThanOrEqual(ratioMax);
    expect.soft(layoutShift, `layout shift of ${path}`).toBeLessThan(layoutShiftMax);
  }
});
