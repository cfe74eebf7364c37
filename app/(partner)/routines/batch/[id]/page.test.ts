import { createElement } from "react";
import { renderToReadableStream } from "react-dom/server";
import { expect, test } from "vitest";
import { BatchReview } from "#components/partner/routines/batch-review.tsx";
import { withWords } from "#components/partner/testing/with-words.tsx";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import type { BatchView } from "#lib/partner/routines/batch-view.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";

// A batch's review before it is confirmed.

const batch: BatchView = {
  ...{ id: "b-1", sourceId: "a-1", digest: "d", confirmedAt: null, sameAs: null, payments: [] },
  ...{ totalCents: 2500, waiting: 0, unmade: 0 },
};
const confirmation = 'name="digest" value="d"';

function from(availableCents: number | undefined): RoutineChoices {
  const accounts = [
    { id: "a-0", label: "Other", availableCents: 1 },
    { id: "a-1", label: "Wallet ···1234", availableCents },
  ];
  return { kind: "ok", sellers: [], areSellersWhole: true, accounts };
}

async function review(choices: RoutineChoices, changes: Partial<BatchView> = {}): Promise<string> {
  const action = async () => unsentForm;
  const props = { batch: { ...batch, ...changes }, choices: Promise.resolve(choices), pay: action, authorize: action };
  const stream = await renderToReadableStream(withWords("Other Books", createElement(BatchReview, props)));
  await stream.allReady;
  return (await new Response(stream).text()).replaceAll("<!-- -->", "");
}

test.each([2500, 2501, undefined])("offers to pay $25.00 from an account with %s cents available", async (cents) => {
  const page = await review(from(cents));
  expect(page).toContain(confirmation);
  expect(page).toContain("$25.00");
});

test("shows the shortfall to the cent, and can't be confirmed", async () => {
  const page = await review(from(2499));
  expect(page).not.toContain(confirmation);
  expect(page.replaceAll(/<[^>]+>/g, "")).toContain("need $0.01 more than Wallet ···1234 has available");
});

test("can't be confirmed if the account was closed or can't be read", async () => {
  const closed = await review({ kind: "ok", sellers: [], areSellersWhole: true, accounts: [] });
  expect(closed).not.toContain(confirmation);
  expect(closed).toContain("Choose another account to pay from.");
  expect(await review({ kind: "unavailable", isAnswered: false })).not.toContain(confirmation);
  expect(await review({ kind: "reauthorization_required" })).not.toContain(confirmation);
});

test("warns about an identical batch, and links to it", async () => {
  expect(await review(from(2500))).not.toContain("exactly these payments");
  const page = await review(from(2500), { sameAs: { id: "b-0", confirmedAt: "2026-01-30T09:30:00.000Z" } });
  expect(page).toContain("You sent exactly these payments before");
  expect(page).toContain('href="/routines/batch/b-0"');
});
