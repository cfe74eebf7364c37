import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, groupBy, groupByText, type History, isSuccess, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";
import { placeAfter, placeFrom } from "../search.ts";

/** A payment whose answer was lost is sent again as what it is, by the same key, or two are made. */
export const routineKeyOnRetry: Rule = {
  id: "routine-key-on-retry",
  title: "Sends a routine again with the key that it had",
  clauses: ["D13.8", "D13.10"],
  isAdvice: false,
  whatToDo:
    "Store the key with the payment before the first request, and take it from there for every retry. When no answer came, ask again by that key, or look for the payment, before you make another one.",
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
    const looks = collectLooks(history);
    return {
      kept: payments.filter((call) => tries.get(keyAndBody(call))?.[0] !== call),
      broken: payments.flatMap((call) =>
        isUncertain(call) && tries.get(keyAndBody(call))?.length === 1
          ? secondOf(call, done.get(call.facts.body ?? "") ?? [], looks)
          : [],
      ),
    };
  },
};

function keyAndBody({ facts }: CallEvent): string {
  return `${facts.idempotency_key} ${facts.body}`;
}

/** The calls that may have shown a payment: all lists, and others by the record that they were about. */
type Looks = { lists: readonly CallEvent[]; ofRecord: ReadonlyMap<string | null, readonly CallEvent[]> };

function collectLooks({ calls }: History): Looks {
  return {
    lists: calls.filter(({ operation }) => /^list(Routines|Transfers)$/.test(operation)),
    ofRecord: groupBy(
      calls.filter(({ operation }) => operation !== "createBookRoutine"),
      ({ facts }) => facts.resource_id,
    ),
  };
}

/** A payment that was made once by its key, and the same payment made again by another key, which its client cannot have wanted. */
function secondOf(call: CallEvent, done: readonly CallEvent[], { lists, ofRecord }: Looks): SandboxEvent[] {
  const second = done[placeFrom(done, startOf(call) + limits.checkAtOnceMs)];
  if (!second) return [];
  // Whoever has seen the first, or a list with it in, wants a second one.
  const hasLooked = [lists, ofRecord.get(call.facts.resource_id) ?? []].some((looks) => {
    const look = looks[placeAfter(looks, startOf(call))];
    return look !== undefined && startOf(look) < startOf(second);
  });
  return hasLooked ? [] : [call, second];
}

/** Whether a payment was made and its client cannot have known: its answer came late on purpose, or was never sent. */
function isUncertain(call: CallEvent): boolean {
  const { is_faulted, cut, resource_id } = call.facts;
  if (call.status === null) return cut === "after" && resource_id !== null;
  return isSuccess(call.status) && is_faulted && endOf(call) - startOf(call) >= limits.checkAtOnceMs;
}
