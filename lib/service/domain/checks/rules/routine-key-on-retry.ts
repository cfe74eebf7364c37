import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, type History, isSuccess, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

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
    return {
      kept: payments.filter((call, place) => payments.slice(0, place).some((earlier) => isSame(earlier, call))),
      broken: payments.flatMap((call) => secondOf(call, payments, history)),
    };
  },
};

function isSame({ facts: one }: CallEvent, { facts: other }: CallEvent): boolean {
  return one.idempotency_key === other.idempotency_key && one.body === other.body;
}

/** A payment that was made, though its client cannot have known, and the same payment made again by another key. */
function secondOf(call: CallEvent, payments: readonly CallEvent[], history: History): SandboxEvent[] {
  if (!isUncertain(call) || payments.some((other) => other !== call && isSame(call, other))) return [];
  const second = payments.find(
    (other) =>
      other.facts.body === call.facts.body &&
      other.facts.idempotency_key !== call.facts.idempotency_key &&
      isSuccess(other.status) &&
      startOf(other) - startOf(call) >= limits.checkAtOnceMs,
  );
  if (!second) return [];
  // Whoever has seen the first, or a list with it in, wants a second one.
  const hasLooked = history.calls.some(
    (read) =>
      startOf(read) > startOf(call) &&
      startOf(read) < startOf(second) &&
      (/^list(Routines|Transfers)$/.test(read.operation) || read.facts.resource_id === call.facts.resource_id) &&
      read.operation !== "createBookRoutine",
  );
  return hasLooked ? [] : [call, second];
}

/** Whether a payment was made and its client cannot have known: its answer came late on purpose, or was never sent. */
function isUncertain(call: CallEvent): boolean {
  const { is_faulted, cut, resource_id } = call.facts;
  if (call.status === null) return cut === "after" && resource_id !== null;
  return isSuccess(call.status) && is_faulted && endOf(call) - startOf(call) >= limits.checkAtOnceMs;
}
