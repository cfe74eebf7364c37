import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { indexFrom } from "../search.ts";

const routineKeyPresent: Rule = {
  id: "routine-key-present",
  title: "Sends an idempotency key with every routine",
  clauses: ["I.create-a-book-transfer-routine.3", "D13.8", "D21.4"],
  whatToDo:
    "Generate a UUID for each payment before you send it, store it with the payment, and send it as Idempotency-Key.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation }) => operation === "createBookRoutine"),
      ({ reason, facts }) =>
        facts.idempotency_key === null || reason === "invalid_idempotency_key" ? "broken" : "kept",
    ),
};

const routineKeyNew: Rule = {
  id: "routine-key-new",
  title: "Uses a new idempotency key for each routine",
  clauses: ["I.limits.9", "D13.8"],
  whatToDo:
    "Generate a key for each payment; don't derive it from the user, the day, or the amount. A key reused with a different body is refused, and that payment isn't made.",
  judge: (history) => {
    const keyed = history.calls.filter(
      ({ operation, facts }) =>
        operation === "createBookRoutine" && facts.idempotency_key !== null && facts.body !== null,
    );
    // A refused payment doesn't use its key.
    const uses = keyed.filter(({ facts, reason }) => facts.resource_id !== null || isReuse(reason));
    const groups = [...groupByText(uses, (call) => `${ownerOf(call, history)} ${call.facts.idempotency_key}`).values()];
    return {
      kept: keyed,
      broken: groups
        .filter(
          (group) =>
            group.some(({ reason }) => isReuse(reason)) || new Set(group.map(({ facts }) => facts.body)).size > 1,
        )
        .flat(),
    };
  },
};

function isReuse(reason: string | null): boolean {
  return reason === "idempotency_key_reused";
}

// The token may change between a call and its retry; the user doesn't.
function ownerOf({ facts }: CallEvent, { pairOfAccessToken }: History): string {
  return pairOfAccessToken.get(facts.access_token ?? "")?.owner ?? "";
}

const routineKeyOnRetry: Rule = {
  id: "routine-key-on-retry",
  title: "Retries a routine with the same key",
  clauses: ["D13.8", "D13.10"],
  whatToDo:
    "Store the key with the payment before the first request, and reuse it for every retry. After a timeout, retry with that key or void it before you create another payment: a list can't show one that is still being created.",
  judge: (history) => {
    const payments = history.calls.filter(
      ({ operation, facts }) =>
        operation === "createBookRoutine" && facts.idempotency_key !== null && facts.body !== null,
    );
    const tries = groupByText(payments, keyAndBody);
    const done = groupByText(
      payments.filter(({ status }) => isSuccess(status)),
      ({ facts }) => facts.body,
    );
    const reads = collectPaymentReads(history);
    return {
      kept: payments.filter((call) => tries.get(keyAndBody(call))?.[0] !== call),
      broken: [...tries.values()].flatMap((group) => duplicateOf(group, { tries, done, reads })),
    };
  },
};

function keyAndBody({ facts }: CallEvent): string {
  return `${facts.idempotency_key} ${facts.body}`;
}

type CallsByText = ReadonlyMap<string, readonly CallEvent[]>;

/** The successful calls that show a given payment. */
type PaymentReads = (payment: CallEvent) => (readonly CallEvent[])[];

function collectPaymentReads(history: History): PaymentReads {
  const done = history.calls.filter(({ operation, status }) => operation !== "createBookRoutine" && isSuccess(status));
  const lists = done.filter(({ operation }) => operation === "listRoutines" || operation === "listTransfers");
  const listsOfOwner = groupByText(lists, (call) => ownerOf(call, history));
  const voidsOfKey = groupByText(
    done.filter(({ operation }) => operation === "voidBookRoutine"),
    ({ facts }) => facts.idempotency_key,
  );
  const readsOfRoutine = groupByText(done, ({ joins }) => joins.find((join) => join.startsWith("routine:")) ?? null);
  return (payment) => {
    const { idempotency_key, resource_id } = payment.facts;
    const owner = ownerOf(payment, history);
    return [
      // The token may have been issued before the record begins.
      owner === "" ? lists : (listsOfOwner.get(owner) ?? []),
      voidsOfKey.get(idempotency_key ?? "") ?? [],
      readsOfRoutine.get(`routine:${resource_id}`) ?? [],
    ];
  };
}

/** A payment of unknown outcome, and its unintended duplicate under another key. */
function duplicateOf(
  group: readonly CallEvent[],
  { tries, done, reads }: { tries: CallsByText; done: CallsByText; reads: PaymentReads },
): SandboxEvent[] {
  const uncertain = group.filter(isUncertain);
  const [payment] = uncertain;
  const last = group.at(-1);
  const isAnswered = group.some((call) => isSuccess(call.status) && !isUncertain(call));
  if (!payment || !last || isAnswered) return [];
  const equal = done.get(payment.facts.body ?? "") ?? [];
  const sinceMs = startOf(last) + limits.checkAtOnceMs;
  const second = equal[indexFrom(equal, sinceMs)];
  const firstTry = second && tries.get(keyAndBody(second))?.[0];
  // With an older key, it's the retry of another payment.
  if (!second || !firstTry || startOf(firstTry) < sinceMs) return [];
  // A client that has seen the first one made the second on purpose. Earlier calls can't have shown it.
  const createdMs = Math.min(...uncertain.map(endOf)) - limits.checkAtOnceMs;
  const wasRead = reads(payment).some((calls) => {
    const read = calls[indexFrom(calls, createdMs)];
    return read !== undefined && startOf(read) < startOf(second);
  });
  return wasRead ? [] : [payment, second];
}

/** Whether a payment was created without the client knowing: its answer was delayed by a fault or never sent. */
function isUncertain(call: CallEvent): boolean {
  const { is_faulted, cut, resource_id } = call.facts;
  if (call.status === null) return cut === "after" && resource_id !== null;
  return isSuccess(call.status) && is_faulted && endOf(call) - startOf(call) >= limits.checkAtOnceMs;
}

const businessTokenForRoutines: Rule = {
  id: "business-token-for-routines",
  title: "Creates routines with the business user's access token",
  clauses: ["I.create-a-book-transfer-routine.5", "I.authentication.8", "D13.2"],
  whatToDo:
    "Keep the business's token pair separate from people's, and create every routine with it, no matter which operator clicked the button.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation }) => operation === "createBookRoutine"),
      ({ status, reason, facts }) => {
        if (isSuccess(status)) return "kept";
        return reason === "business_user_required" && !facts.is_faulted ? "broken" : undefined;
      },
    ),
};

export const routineRules: readonly Rule[] = [
  routineKeyPresent,
  routineKeyNew,
  routineKeyOnRetry,
  businessTokenForRoutines,
];
