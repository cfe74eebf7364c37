import { expect, test } from "vitest";
import { productionProviders } from "../providers.ts";
import { settlementOf } from "./providers.ts";

test.each([
  [112, "by_hand"],
  [12, "by_hand"],
  [1_200, "processed"],
  [111, "account_closed"],
  [11, "account_closed"],
  [1_100, "processed"],
  [100, "processed"],
])("a transfer of %i cents becomes %s in a sandbox, and processed in production", (amountCents, outcome) => {
  expect(settlementOf(amountCents)).toBe(outcome);
  expect(productionProviders().settlementOf(amountCents)).toBe("processed");
});
