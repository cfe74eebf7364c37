import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { indexAfter, indexFrom } from "../search.ts";

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
    "Store the key with the payment before the first request, and reuse it for every retry. After a timeout, retry with that key or look the payment up before you create another one.",
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
    const looks = collectLookups(history);
    return {
      kept: payments.filter((call) => tries.get(keyAndBody(call))?.[0] !== call),
      broken: payments.flatMap((call) =>
        isUncertain(call) && tries.get(keyAndBody(call))?.length === 1
          ? duplicateOf(call, done.get(call.facts.body ?? "") ?? [], looks)
          : [],
      ),
    };
  },
};

function keyAndBody({ facts }: CallEvent): string {
  return `${facts.idempotency_key} ${facts.body}`;
}

/** Calls that may have shown a payment: lists, and others by record. */
type Lookups = { lists: readonly CallEvent[]; ofRecord: ReadonlyMap<string | null, readonly CallEvent[]> };

function collectLookups({ calls }: History): Lookups {
  return {
    lists: calls.filter(({ operation }) => /^list(Routines|Transfers)$/.test(operation)),
    ofRecord: Map.groupBy(
      calls.filter(({ operation }) => operation !== "createBookRoutine"),
      ({ facts }) => facts.resource_id,
    ),
  };
}

/** A payment and its unintended duplicate under another key. */
function duplicateOf(call: CallEvent, done: readonly CallEvent[], { lists, ofRecord }: Lookups): SandboxEvent[] {
  const second = done[indexFrom(done, startOf(call) + limits.checkAtOnceMs)];
  if (!second) return [];
  // A client that has seen the first one made the second on purpose.
  const hasLooked = [lists, ofRecord.get(call.facts.resource_id) ?? []].some((looks) => {
    const look = looks[indexAfter(looks, startOf(call))];
    return look !== undefined && startOf(look) < startOf(second);
  });
  return hasLooked ? [] : [call, second];
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
