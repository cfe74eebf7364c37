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

/** The seller that the form shows as chosen. */
function chosenOf(seller_user_id: string): string | undefined {
  const form = createElement(PaymentForm, {
    sellers,
    accounts: [{ id: "a-1", label: "Operating", availableCents: 100_000 }],
    idempotencyKey: "0198c0de-0000-4000-8000-000000000000",
    prefilled: { seller_user_id, amount: "12.50", name: "Lamps" },
    pay: async () => unsentForm,
  });
  const html = renderToStaticMarkup(withWords("Other Books", form));
  const select = /<select[^>]*id="seller_user_id".*?<\/select>/s.exec(html)?.[0] ?? "";
  return /<option[^>]*selected=""[^>]*>([^<]*)/.exec(select)?.[1];
}

test.each([
  ["u-2", "Marta Quay"],
  ["", "Choose a seller"],
  // The browser would choose the first seller.
  ["suspended", "Choose a seller"],
])("prefilled with the seller %j, shows %s", (seller, shown) => {
  expect(chosenOf(seller)).toBe(shown);
});
