import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { readMoney } from "#client";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { AccountsCard } from "./connection/accounts-card.tsx";
import { type ConnectionProblem, ConnectionTrouble } from "./connection/connection-card.tsx";
import { FormProblems } from "./form-problems.tsx";
import { OnboardingOutcome } from "./onboarding/onboarding-status.tsx";
import { ResolveRoutine } from "./routines/resolve-routine.tsx";
import { useRoutineEvents } from "./routines/routine-events.ts";
import { RoutineBalances, RoutinePage } from "./routines/routine-page.tsx";
import { withWords } from "./testing/with-words.tsx";

// Unknown data is never shown as missing, zero, or a failure.

const name = "Other Books";

function render(children: ReactNode): string {
  return renderToStaticMarkup(withWords(name, children));
}

describe("accounts", () => {
  function shown(props: Parameters<typeof AccountsCard>[0]): string {
    return render(createElement(AccountsCard, props));
  }

  const none = { items: [], isWhole: true };
  const readAt = "2026-03-10T14:41:00Z";

  test("that couldn't be loaded aren't shown as missing, or dated as current", () => {
    const page = shown({ accounts: undefined, readAt, isAwaiting: false });
    expect(page).toContain("load your balance right now");
    expect(page).not.toContain("No account yet");
    expect(page).not.toContain("As of");
    expect(shown({ accounts: none, readAt, isAwaiting: false })).toContain("As of");
  });

  test("are promised on approval only to a user who awaits approval", () => {
    expect(shown({ accounts: none, readAt, isAwaiting: true })).toContain("as soon as you&#x27;re approved");
    expect(shown({ accounts: none, readAt, isAwaiting: false })).not.toContain("as soon as you&#x27;re approved");
  });

  test("show a warning only if some couldn't be loaded", () => {
    expect(shown({ accounts: { items: [], isWhole: false }, readAt, isAwaiting: false })).toContain(
      "Some accounts aren&#x27;t shown",
    );
    expect(shown({ accounts: none, readAt, isAwaiting: false })).not.toContain("Some accounts aren&#x27;t shown");
  });

  test.each([
    [12.5, "$12.50"],
    [10.005, "about $10.0"],
    [10.005, "10.005 USD"],
    ["twelve", "twelve"],
    [undefined, "Unknown"],
  ])("show the balance %s as %s, and not as $0.00", (balance, text) => {
    const account = { id: "a", current_balance: readMoney(balance), available_balance: readMoney(balance) };
    const page = shown({ accounts: { items: [account], isWhole: true }, readAt, isAwaiting: false });
    expect(page).toContain(text);
    expect(page).not.toContain("$0.00");
  });
});

describe("an unusable connection", () => {
  const action = async () => unsentForm;
  function shown(problem: ConnectionProblem): string {
    const actions = { authorize: action, disconnect: action };
    const texts = { label: "Authorize again", consequence: "Harbor sees nothing then.", returnTo: "/dashboard" };
    return render(createElement(ConnectionTrouble, { problem, ...actions, ...texts }));
  }

  test.each([
    { kind: "unavailable", isAnswered: true },
    { kind: "unavailable", isAnswered: false },
  ] as const)("can be reconnected or disconnected after any problem: %j", (problem) => {
    expect(shown(problem)).toContain("Authorize again");
    expect(shown(problem)).toContain("Disconnect");
  });

  test.each([
    [true, "You disconnected Harbor"],
    [false, "connection has ended"],
    [undefined, "connected"],
  ])("says who ended it, if known: %s", (isDisconnected, text) => {
    const page = shown({ kind: "reauthorization_required", isDisconnected });
    expect(page).toContain(text);
    expect(page.includes("You disconnected")).toBe(isDisconnected === true);
    expect(page.includes("has ended")).toBe(isDisconnected === false);
  });

  test("can be reconnected after it ended, but not disconnected again", () => {
    const page = shown({ kind: "reauthorization_required" });
    expect(page).toContain("Authorize again");
    expect(page).not.toContain("Disconnect");
  });

  test("is reported as unanswered only without a response", () => {
    expect(shown({ kind: "unavailable", isAnswered: false })).toContain("answering right now");
    expect(shown({ kind: "unavailable", isAnswered: true })).not.toContain("answering right now");
    expect(shown({ kind: "unavailable", isAnswered: true })).toContain("use the answer from");
  });
});

test("an unknown decision isn't shown as an approval, and the person can continue", () => {
  const state = { kind: "offered" as const };
  const page = render(createElement(OnboardingOutcome, { state, authorize: async () => unsentForm }));
  expect(page).toContain("shared its decision with us");
  expect(page).toContain("Continue to authorize");
  expect(page).not.toContain("You're approved");
});

test("a rejection without a reason shows none", () => {
  const state = { kind: "rejected" as const, reasons: [] };
  const page = render(createElement(OnboardingOutcome, { state, authorize: async () => unsentForm }));
  expect(page).toContain("It gave no reason.");
  expect(page).not.toContain("public record");
});

test.each([
  [["The name doesn't match."], "It gave this reason:"],
  [["The name doesn't match.", "The address doesn't match."], "It gave these reasons:"],
])("a rejection shows each reason: %j", (messages, text) => {
  const state = { kind: "rejected" as const, reasons: messages.map((message) => ({ code: "mismatch", message })) };
  const page = render(createElement(OnboardingOutcome, { state, authorize: async () => unsentForm }));
  expect(page).toContain(text);
  for (const message of messages) expect(page).toContain(message.replace("'", "&#x27;"));
});

/** The titles of a payment's timeline. */
function Titles({ view }: { view: RoutineView }): string {
  return useRoutineEvents()
    .eventsOf(view)
    .map(({ title, at }) => `${title}${at === undefined ? " (expected)" : ""}`)
    .join("; ");
}

function Announcement({ before, now }: { before: RoutineView; now: RoutineView }): string {
  return useRoutineEvents().announce(before, now);
}

describe("a payment", () => {
  const routine: RoutineView = {
    id: "01a1fece-51b8-76f6-bc30-0b59463a4e67",
    name: "Lamps",
    amountCents: 50_000,
    sellerName: "Marta Quay",
    sellerUserId: "01a1fece-51b8-76f6-bc30-0b59463a4e68",
    sourceId: "source-1",
    destinationId: "destination-1",
    idempotencyKey: "9e1b7f0e-8d26-4a8e-9f0a-0c8f6d1f8a55",
    unansweredSends: 2,
    firstSentAt: "2026-01-31T09:30:00.000Z",
    lastSentAt: null,
    isResolved: false,
    state: "unanswered",
    status: "unanswered",
    transferStatus: null,
    meanings: { routine: "open", transfer: "open" },
    failureReason: null,
    serviceRoutineId: null,
    secondServiceRoutineId: null,
    transferId: null,
    createdAt: "2026-01-31T09:30:00.000Z",
    balances: {},
    webhooks: [],
    events: [],
    isOver: false,
    isHeld: false,
    isResolvedByPerson: false,
    confirmation: null,
    isFound: false,
    possibleRecordIds: [],
  };
  function shown(changes: Partial<RoutineView>): string {
    return render(createElement(RoutinePage, { initial: { ...routine, ...changes } }));
  }

  test("without a response is shown as unknown, with the advice not to pay again", () => {
    const page = shown({});
    expect(page).toContain("We don&#x27;t know yet whether this was paid");
    expect(page).toContain("don&#x27;t pay it again");
    expect(page).not.toContain("didn&#x27;t arrive");
  });

  test("without a response for two days is still shown as unknown, not as failed", () => {
    const page = shown({ failureReason: "no_answer", isHeld: true });
    // Also true of a payment that was sent again a moment ago.
    expect(page).toContain("We first sent it more than two days ago");
    expect(page).toContain("We don&#x27;t know yet whether this was paid");
    expect(page).toContain("ask Other Books about it before you pay again");
    expect(page).not.toContain("didn&#x27;t arrive");
  });

  test("that the service refuses and doesn't list stays unknown, and says why an operator must decide", () => {
    const page = shown({ failureReason: "not_listed", isHeld: true });
    expect(page).toContain("We don&#x27;t know yet whether this was paid");
    expect(page).toContain("can&#x27;t rule out that our first request still arrives");
    expect(page).toContain("ask Other Books about it before you pay again");
  });

  test("blocked by another payment's unknown outcome is shown as unknown; any other problem is shown as an error", () => {
    const problems = [{ field: "form", message: "We are still finding out." }];
    const heldBack = render(createElement(FormProblems, { problems, isUnknown: true, title: "We don't know yet" }));
    expect(heldBack).toContain("We don&#x27;t know yet");
    expect(heldBack).toContain("text-warning");
    expect(heldBack).not.toContain("text-danger");
    const failed = render(createElement(FormProblems, { problems }));
    expect(failed).toContain("text-danger");
    expect(failed).not.toContain("know yet");
  });

  test("with an unreadable success response is shown as most likely made", () => {
    const page = shown({ failureReason: "answer_not_understood", isHeld: true });
    expect(page).toContain("We don&#x27;t know yet whether this was paid");
    expect(page).toContain("answered with success");
    expect(page).not.toContain("did not answer");
  });

  test("that needs an operator links to the page that resolves it", () => {
    expect(shown({ isHeld: true })).toContain(`/routines/${routine.id}/resolve`);
    expect(shown({})).not.toContain("/resolve");
  });

  test.each(["failed", "cancelled"] as const)(
    "that ended as %s is shown as not arrived, regardless of the service's status",
    (state) => {
      const page = shown({ state, status: "sent_back", transferStatus: "sent_back", isOver: true });
      expect(page).toContain("This payment didn&#x27;t arrive");
      expect(page).toContain("Sent back");
    },
  );

  test("without any status report is shown as unknown, not as missing", () => {
    const page = shown({ state: "open", status: null, serviceRoutineId: "r-1" });
    // Routine, transfer, and both accounts' previous balances.
    expect(page.match(/Unknown/g)).toHaveLength(4);
  });

  test("shows an unknown balance as unknown, not as zero", () => {
    const at = "2026-01-31T09:30:00.123Z";
    const page = shown({ isOver: true, balances: { source_before: { reported: readMoney(900), at } } });
    expect(page).toContain("$900.00");
    expect(page).toContain("09:30:00.123 UTC");
    expect(page.match(/Unknown/g)).toHaveLength(3);
    expect(page).not.toContain("$0.00");
  });

  test("lists each webhook with its outcome", () => {
    const receipt = { id: "w-1", receivedAt: "2026-01-31T09:30:00.123Z" };
    const page = shown({
      webhooks: [
        { ...receipt, type: "transfer_updated", outcome: "applied", duplicates: 2 },
        { ...receipt, id: "w-2", type: "routine_updated", outcome: null, duplicates: 0 },
      ],
    });
    for (const text of ["transfer_updated", "Applied", "2 duplicates, ignored", "routine_updated", "Being applied"]) {
      expect(page).toContain(text);
    }
  });

  test("that the service lost shows its last status, and can be resent but not paid again", () => {
    const page = shown({ state: "missing", status: "missing", transferStatus: "processed" });
    expect(page).toContain("recognize this payment");
    expect(page).toContain("Processed");
    expect(page).toContain("send it again");
    expect(page).not.toContain("pay it again");
    expect(shown({ state: "missing", status: "missing", isFound: true })).not.toContain("send it again");
  });

  const twoEnds = ["cancelled", "processed"].map((status) => ({
    resource: "transfer" as const,
    status,
    meaning: status === "processed" ? ("succeeded" as const) : ("cancelled" as const),
    occurredAt: "2026-01-31T09:30:00.000Z",
  }));

  test("with two conflicting final statuses shows both, can't be paid again, and links to the page that closes it", () => {
    const page = shown({ state: "conflicting", status: "conflicting", events: twoEnds });
    expect(page).toContain("needs your review");
    expect(page).toContain("transfer “Canceled”, then transfer “Processed”");
    expect(page).toContain(`/routines/${routine.id}/resolve`);
    expect(page).not.toContain("/routines/new");
  });

  const confirmation = { by: "Olive Park", at: "2026-01-31T09:31:00.123Z" };

  test("that was confirmed as arrived says who confirmed it and when, and can't be paid again", () => {
    const page = shown({
      ...{ state: "succeeded", status: "confirmed_arrived", transferStatus: "cancelled" },
      ...{ confirmation, events: twoEnds, isOver: true },
    });
    expect(page).toContain("This payment arrived");
    expect(page).toContain("Olive Park confirmed");
    expect(page).toContain("09:31:00.123 UTC");
    expect(page).not.toContain("/routines/new");
  });

  test("that was confirmed as not arrived can be paid again, and isn't shown as refunded", () => {
    const page = shown({
      ...{ state: "failed", status: "confirmed_not_arrived", transferStatus: "processed" },
      ...{ confirmation, events: twoEnds, isOver: true },
    });
    expect(page).toContain("This payment didn&#x27;t arrive");
    expect(page).toContain("Olive Park confirmed");
    expect(page).toContain("/routines/new");
    expect(page).not.toContain("back in the account");
  });

  test("whose status contradicts its confirmation needs an operator again, and says who confirmed it", () => {
    const page = shown({ state: "conflicting", status: "conflicting", confirmation, events: twoEnds });
    expect(page).toContain("Olive Park confirmed a result");
    expect(page).toContain(`/routines/${routine.id}/resolve`);
  });

  test("that was discovered at the service says that there's no record of sending it", () => {
    const page = shown({ state: "open", status: "active", isFound: true, sellerName: "" });
    expect(page).toContain("has no record of sending this payment");
    expect(page).toContain("an unknown account");
  });

  test("that was made twice is shown as a duplicate", () => {
    expect(shown({ state: "open", status: "active", secondServiceRoutineId: "r-2" })).toContain("r-2");
  });

  describe("in its timeline", () => {
    const active = {
      resource: "routine",
      status: "active",
      meaning: "open",
      occurredAt: "2026-01-31T09:30:01.000Z",
    } as const;
    const ended = (resource: "routine" | "transfer", status: string, second: number) =>
      ({ resource, status, meaning: "succeeded", occurredAt: `2026-01-31T09:31:0${second}.000Z` }) as const;
    const confirmation = { by: "Olive Marsh", at: "2026-01-31T09:31:01.500Z" };

    test.each<[string, Partial<RoutineView>, string[]]>([
      [
        "is being sent",
        { state: "submitting" },
        ["Payment sent by Harbor", "Payment accepted (expected)", "The money arrives at Marta Quay (expected)"],
      ],
      [
        "is open",
        { state: "open", events: [active], sellerName: "" },
        ["Payment sent by Harbor", "Payment active", "The money arrives (expected)"],
      ],
      ["has no answer", {}, ["Payment sent by Harbor"]],
      [
        "was discovered at the service",
        { state: "open", events: [active], sellerName: "", isFound: true },
        ["Payment created", "Payment active", "The money arrives (expected)"],
      ],
      [
        "is ending",
        { state: "open", events: [active, ended("transfer", "processed", 1)] },
        ["Payment sent by Harbor", "Payment active", "Transfer processed"],
      ],
      [
        "was confirmed between two reports",
        {
          state: "succeeded",
          events: [active, ended("transfer", "processed", 1), ended("routine", "completed", 2)],
          confirmation,
        },
        [
          ...["Payment sent by Harbor", "Payment active", "Transfer processed"],
          ...["Olive Marsh confirmed what happened", "Payment completed"],
        ],
      ],
    ])("that %s shows past events in order, and only possible future ones", (_what, changes, titles) => {
      const view = { ...routine, ...changes };
      expect(render(createElement(Titles, { view }))).toBe(titles.join("; "));
    });

    test("announces each new status once", () => {
      const before: RoutineView = { ...routine, state: "open", events: [active] };
      const now = { ...before, events: [active, ended("transfer", "processed", 1), ended("routine", "completed", 2)] };
      expect(render(createElement(Announcement, { before, now }))).toBe(
        "The transfer is now processed. The payment is now completed.",
      );
      expect(render(createElement(Announcement, { before: now, now }))).toBe("");
    });

    test("shows balances as they were read, and which ones are pending", () => {
      const cells = (changes: Partial<RoutineView>) =>
        [
          ...render(createElement(RoutineBalances, { routine: { ...routine, ...changes } })).matchAll(
            /<td[^>]*>(.*?)<\/td>/g,
          ),
        ]
          .map(([, cell = ""]) =>
            cell
              .replaceAll(/<[^>]+>/g, " ")
              .replaceAll(/\s+/g, " ")
              .trim(),
          )
          .join(" | ");
      const at = "2026-01-31T09:30:00.000Z";
      const balances = {
        source_before: { reported: readMoney(900), at },
        destination_after: { reported: readMoney(12.5), at },
      };
      const [source, destination] = [
        "Account of The business | Before $900.00 Jan 31",
        "Account of Marta Quay | Before Unknown",
      ];
      const read = cells({ balances });
      expect(
        read.startsWith(`${source}, 09:30:00.000 UTC | After Not yet | ${destination} | After $12.50 Jan 31`),
      ).toBe(true);
      const settled = cells({ balances, isOver: true });
      expect(
        settled.startsWith(`${source}, 09:30:00.000 UTC | After Unknown | ${destination} | After $12.50 Jan 31`),
      ).toBe(true);
    });
  });

  describe("for an operator to resolve", () => {
    const payment: RoutineView = { ...routine, isHeld: true };
    function resolving(changes: Partial<RoutineView>): string {
      const action = async () => unsentForm;
      const actions = {
        confirmArrived: action,
        confirmNotCreated: action,
        acknowledgeSecond: action,
        confirmSendAgain: action,
        confirmEnd: action,
      };
      return render(createElement(ResolveRoutine, { payment: { ...payment, ...changes }, ...actions }));
    }

    test("shows everything that was sent, and the risk of either answer", () => {
      const page = resolving({});
      const facts = ["$500.00", "Marta Quay", "Lamps", "source-1", "destination-1", payment.idempotencyKey];
      for (const fact of facts) expect(page).toContain(fact);
      expect(page).toContain("paying again pays the seller twice");
      expect(page).toContain("Unknown");
      expect(page).not.toContain("answered this payment with success");
    });

    test("shows the records that may be this payment, like its own page", () => {
      const possible = { possibleRecordIds: ["r-1", "r-2"] };
      for (const page of [resolving(possible), shown(possible)]) {
        expect(page).toContain("r-1");
        expect(page).toContain("r-2");
      }
      for (const page of [resolving({}), shown({})]) expect(page).not.toContain("may be this payment");
    });

    test("is shown as most likely made after a success response", () => {
      expect(resolving({ failureReason: "answer_not_understood" })).toContain("Most likely it was made");
    });

    test("can't be marked as not made while Harbor is still checking", () => {
      const page = resolving({ isHeld: false });
      expect(page).toContain("still finding out on its own");
      expect(page).not.toContain("or its records show");
    });

    test("asks only which of two results is right", () => {
      const page = resolving({ state: "conflicting", events: twoEnds });
      expect(page).toContain("Transfer reported");
      expect(page).toContain("The money arrived");
      expect(page).toContain("The money didn&#x27;t arrive");
      expect(page).not.toContain("No payment was made");
      expect(page).not.toContain("Send it again");
    });

    test("shows both ids if it was made twice, and asks nothing else", () => {
      const page = resolving({ serviceRoutineId: "r-1", secondServiceRoutineId: "r-2" });
      expect(page).toContain("r-1");
      expect(page).toContain("r-2");
      expect(page).not.toContain("or its records show");
    });
  });

  test("that was refused is shown as not made", () => {
    expect(shown({ state: "refused", status: "refused", failureReason: "insufficient_funds", isOver: true })).toContain(
      "This payment wasn&#x27;t made",
    );
  });
});
