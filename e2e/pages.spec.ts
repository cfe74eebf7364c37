import { test } from "./journey.ts";
import { lookAt } from "./look.ts";
import { walkFromSignUpToPayout } from "./sign-up-to-payout.ts";

test("every page on the way is fit for a phone and a desk, for day and night, and for axe", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  test.setTimeout(240_000);
  await walkFromSignUpToPayout({ browser, page, seller, stack, look: lookAt });
});
