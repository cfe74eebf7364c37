import { test } from "./journey.ts";
import { walkFromSignUpToPayout } from "./sign-up-to-payout.ts";

test("a seller signs up, is onboarded, authorizes and is paid by the operator", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  await walkFromSignUpToPayout({ browser, page, seller, stack, look: async () => {} });
});
