import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { accountRecordOf } from "#lib/partner/testing/records.ts";
import { AccountsCard } from "./connection/accounts-card.tsx";
import { OnboardingOutcome } from "./onboarding/onboarding-outcome.tsx";
import { RoutinePage } from "./routines/routine-page.tsx";

// The guarantee: what Harbor does not know is never shown as none, as zero or as a failure.

describe("accounts", () => {
  function shown(props: Parameters<typeof AccountsCard>[0]): string {
    return renderToStaticMarkup(createElement(AccountsCard, props));
  }

  test("that could not be read are not told as none", () => {
    const page = shown({ accounts: undefined, isApproved: true });
    expect(page).toContain("cannot be shown right now");
    expect(page).not.toContain("No account yet");
  });

  test("that are none are told so, and an approved user is not told to wait for an approval", () => {
    expect(shown({ accounts: [], isApproved: false })).toContain("as soon as you are approved");
    expect(shown({ accounts: [], isApproved: true })).not.toContain("as soon as you are approved");
  });

  test("show an amount that is no whole number of cents as it was written, and not as $0.00", () => {
    const account = accountRecordOf({ available_balance: 10.005, current_balance: 12.5 });
    const page = shown({ accounts: [account], isApproved: true });
    expect(page).toContain("10.005 USD");
    expect(page).toContain("$12.50");
    expect(page).not.toContain("$0.00");
  });
});

test("a rejection without a reason is given none", () => {
  const state = { kind: "rejected" as const, reasons: [] };
  const page = renderToStaticMarkup(createElement(OnboardingOutcome, { state, authorize: async () => unsentForm }));
  expect(page).toContain("It gave no reason.");
  expect(page).not.toContain("public record");
});

describe("a payment", () => {
  const routine: RoutineView = {
    id: "01a1fece-51b8-76f6-bc30-0b59463a4e67",
    name: "Lamps",
    amountCents: 50_000,
    sellerName: "Marta Quay",
    status: "unanswered",
    transferStatus: null,
    failureReason: null,
    serviceRoutineId: null,
    transferId: null,
    createdAt: "2026-01-31T09:30:00.000Z",
    events: [],
    isOver: false,
  };
  function shown(changes: Partial<RoutineView>): string {
    return renderToStaticMarkup(createElement(RoutinePage, { initial: { ...routine, ...changes } }));
  }

  test("without an answer is told as not known, with the advice not to pay again", () => {
    const page = shown({});
    expect(page).toContain("We do not know yet whether this was paid");
    expect(page).toContain("do not pay it again");
    expect(page).not.toContain("did not arrive");
  });

  test("without an answer for two days is still not known, and not told as failed", () => {
    const page = shown({ failureReason: "no_answer" });
    expect(page).toContain("We do not know yet whether this was paid");
    expect(page).toContain("ask Plainbook about it before you pay once more");
    expect(page).not.toContain("did not arrive");
  });

  test("that was refused is told as not made", () => {
    expect(shown({ status: "refused", failureReason: "insufficient_funds", isOver: true })).toContain(
      "This payment was not made",
    );
  });
});
