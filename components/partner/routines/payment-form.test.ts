import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { withWords } from "../testing/with-words.tsx";
import { PaymentForm } from "./payment-form.tsx";

const sellers = [
  { userId: "u-1", name: "Ana Quay" },
  { userId: "u-2", name: "Marta Quay" },
];

const accounts = [
  { id: "a-1", label: "Operating", availableCents: 100_000 },
  { id: "a-2", label: "Reserve", availableCents: 100_000 },
];

/** What the form shows as chosen in a field. */
function chosenIn(field: "source_id" | "seller_user_id", prefilled: string): string | undefined {
  const form = createElement(PaymentForm, {
    sellers,
    accounts,
    idempotencyKey: "0198c0de-0000-4000-8000-000000000000",
    prefilled: { source_id: "", seller_user_id: "", amount: "12.50", name: "Lamps", [field]: prefilled },
    pay: async () => unsentForm,
  });
  const html = renderToStaticMarkup(withWords("Other Books", form));
  const select = new RegExp(`<select[^>]*id="${field}".*?</select>`, "s").exec(html)?.[0] ?? "";
  return /<option[^>]*selected=""[^>]*>([^<]*)/.exec(select)?.[1];
}

test.each([
  ["u-2", "Marta Quay"],
  ["", "Choose a seller"],
  // The browser would choose the first seller.
  ["suspended", "Choose a seller"],
])("prefilled with the seller %j, shows %s", (seller, shown) => {
  expect(chosenIn("seller_user_id", seller)).toBe(shown);
});

test.each([
  ["a-2", "Reserve"],
  ["", "Operating"],
  ["closed", "Operating"],
])("prefilled with the account %j, shows %s", (account, shown) => {
  expect(chosenIn("source_id", account)).toBe(shown);
});
