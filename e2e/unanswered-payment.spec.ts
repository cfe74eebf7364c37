import { expect } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { balanceOn, fillInPayment } from "./harbor.ts";
import { connectByHttp, openOfficeByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";
import { callService, demoCredentials, readLedgerSumCents } from "./service-api.ts";

// A payment's answer arrives too late. Harbor must neither lose it nor pay twice.
test("a payment with a lost answer is shown as unknown, isn't paid twice, and is resolved", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  await connectByHttp(page, stack.partnerUrl, seller);
  await page.goto(`${stack.partnerUrl}/dashboard`);

  const office = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const operator = await office.newPage();
  await openOfficeByHttp(operator, stack.partnerUrl);

  // Harbor now compares payments with the service's list, which fails from here on.
  await operator.goto(`${stack.partnerUrl}/routines/new`);
  const authorization = demoCredentials();
  const setFault = (body: object) =>
    callService(stack.serviceUrl, { authorization, method: "PUT", path: "/sandbox/faults", body });

  async function pay(): Promise<void> {
    await fillInPayment(operator, stack.partnerUrl, { seller, amount: "500.00" });
    await operator.getByRole("button", { name: "Review" }).click();
    await operator.getByRole("button", { name: "Confirm and pay" }).click();
  }

  // Longer than Harbor's timeout: the payment is created after Harbor gives up.
  await setFault({ operation: "createBookRoutine", latency_ms: 11_000, times: 1 });
  // Keep the outcome unknown while the page is checked.
  for (const operation of ["getRoutine", "getTransfer", "listRoutines"]) {
    await setFault({ operation, status: 503, times: 100 });
  }
  await pay();
  await expect(operator).toHaveURL(/\/routines\/[0-9a-f-]{36}$/);
  const address = operator.url();
  await setFault({ operation: "createBookRoutine", status: 503, times: 100 });
  await expect(operator.getByText("We don't know yet whether this was paid")).toBeVisible();
  await pay();
  await expect(operator.getByText("we're still finding out whether it was made")).toBeVisible();
  await checkPage(operator, "payment-held-back");
  await operator.getByRole("link", { name: "View that payment" }).click();
  await expect(operator).toHaveURL(address);
  await expect(operator.getByText("We don't know yet whether this was paid")).toBeVisible();
  await checkPage(operator, "payment-unanswered");
  await callService(stack.serviceUrl, { authorization, method: "DELETE", path: "/sandbox/faults" });
  await expect(operator.getByText("Transfer processed")).toBeVisible({ timeout: 120_000 });
  await expect(operator.getByText("We don't know yet")).toHaveCount(0);
  await office.close();

  await expect(balanceOn(page)).toContainText("$500.00");
  expect(await readLedgerSumCents(stack.serviceUrl)).toBe(0);
});
