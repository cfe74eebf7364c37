import { expect } from "@playwright/test";
import { advanceClockUntil } from "./advance-clock.ts";
import { balanceOn } from "./harbor.ts";
import { connectByHttp, payByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";
import { isSamePage, openLive, openOffice, showTab } from "./live-page.ts";
import { walkFromSignUpToPayment } from "./sign-up-to-payment.ts";

// Each role runs in its own process. Those start slowly, so one worker runs the whole file.
test.describe.configure({ mode: "default" });

test("a seller signs up, is onboarded, authorizes, and is paid by the operator", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  await walkFromSignUpToPayment({ browser, page, seller, stack, check: async () => {} });
});

test("open tabs survive crashes of Harbor and the service, and show payments made since", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  const { partnerUrl } = stack;
  await connectByHttp(page, partnerUrl, seller);
  const [frozen, hidden] = [await page.context().newPage(), await page.context().newPage()];
  const tabs = [page, frozen, hidden];
  await page.clock.install();
  for (const tab of tabs) await openLive(tab, partnerUrl);
  const browserOfFrozen = await page.context().newCDPSession(frozen);
  const operator = await openOffice(browser, partnerUrl);
  const staleNotice = page.getByText("This may be out of date");

  for (const [app, balance] of [
    ["partner", "$10.00"],
    ["service", "$20.00"],
  ] as const) {
    await browserOfFrozen.send("Page.setWebLifecycleState", { state: "frozen" });
    await showTab(hidden, "hidden");
    const startAgain = await stack.kill(app);
    await advanceClockUntil(page, staleNotice);
    await startAgain();
    await payByHttp(operator, partnerUrl, { seller, amount: "10.00" });
    await advanceClockUntil(page, balanceOn(page).filter({ hasText: balance }));
    await browserOfFrozen.send("Page.setWebLifecycleState", { state: "active" });
    await showTab(hidden, "visible");
    for (const tab of tabs) {
      await expect(balanceOn(tab)).toContainText(balance);
      await expect(tab.getByText("This may be out of date")).toHaveCount(0);
      expect(await isSamePage(tab)).toBe(true);
    }
  }
  await operator.context().close();
});
