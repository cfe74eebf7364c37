import { expect } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { connectByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";
import { openOffice } from "./live-page.ts";

test("an operator pays many sellers from a file: lines are corrected, the batch is reviewed and sent once", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const secondSeller = newPerson();
  const elsewhere = await browser.newContext();
  await connectByHttp(elsewhere, partnerUrl, secondSeller);
  await elsewhere.close();
  const operator = await openOffice(browser, partnerUrl);
  const list = operator.getByRole("textbox", { name: "Payments" });
  const lines = [
    "email,amount,for",
    `${seller.email},$18.11,Sales of ${seller.phone}`,
    `${secondSeller.email},nine,Fair`,
  ];
  const payments = operator.getByRole("table", { name: "Payments" }).getByRole("row");

  await test.step("a wrong line is reported, and nothing is lost, even on reload", async () => {
    await operator.goto(`${partnerUrl}/routines`);
    await operator.getByRole("link", { name: "Pay many sellers" }).click();
    await operator.getByRole("button", { name: "Review" }).click();
    await expect(operator.getByRole("alert").getByText("Paste a list, or choose a file.")).toBeVisible();
    const file = { name: "june.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) };
    await operator.getByLabel("CSV file").setInputFiles(file);
    await expect(list).toHaveValue(lines.join("\n"));
    await operator.getByRole("button", { name: "Review" }).click();
    await expect(operator.getByRole("link", { name: "Line 3: Enter an amount in dollars" })).toBeVisible();
    await checkPage(operator, "batch-problems");
    await operator.reload();
    await expect(list).toHaveValue(lines.join("\n"));
  });

  await test.step("the review shows each payment and the total, and can be changed", async () => {
    await list.fill(lines.join("\n").replace("nine", "9.50"));
    await operator.getByRole("button", { name: "Review" }).click();
    await expect(operator.getByRole("heading", { name: "Review 2 payments" })).toBeVisible();
    await expect(payments.filter({ hasText: secondSeller.lastName })).toContainText("$9.50");
    await expect(operator.getByText("$27.61")).toBeVisible();
    await checkPage(operator, "batch-review");
    await operator.getByRole("link", { name: "Change the list" }).last().click();
    await expect(list).toHaveValue(/18\.11/);
    const changed = lines.join("\n").replace("nine", "$9.50");
    await list.fill(changed);
    await operator.reload();
    await expect(list).toHaveValue(changed);
    await operator.getByRole("button", { name: "Review" }).click();
  });

  await test.step("a double click sends it once, and the results appear without a reload", async () => {
    await operator.getByRole("button", { name: "Confirm and make 2 payments" }).dblclick();
    await expect(operator.getByText("2 of 2 payments sent.")).toBeVisible();
    // This amount fails while settling; the other arrives.
    await expect(payments.filter({ hasText: "$18.11" })).toContainText("Failed");
    await checkPage(operator, "batch-results");
  });

  await test.step("Back and reload return to it, and send nothing", async () => {
    const address = operator.url();
    await operator.goBack();
    await operator.goto(address);
    await operator.reload();
    await expect(operator.getByText("2 of 2 payments sent.")).toBeVisible();
    await operator.goto(`${partnerUrl}/routines?search=${encodeURIComponent(seller.phone)}`);
    await expect(payments.filter({ hasText: "$18.11" })).toHaveCount(1);
  });
  await operator.context().close();
});
