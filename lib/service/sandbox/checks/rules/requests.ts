import { limits } from "../../../../contract/limits.ts";
import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, groupByText, type History, isExchange, isSuccess, startOf } from "../history.ts";
import { judgeEach, mergeFindings, type Rule } from "../rule.ts";
import { indexAfter } from "../search.ts";
import { findAuthorized } from "../visits.ts";

const requestsValid: Rule = {
  id: "requests-valid",
  title: "Sends no invalid requests",
  clauses: ["I.errors.2", "D5.3", "D10.2"],
  // A form may leave validation to the service.
  isAdvice: true,
  whatToDo:
    "Read the answer's details, which name each wrong field, and check the same before you send. For a refused code, compare what you send with the code in the address, character for character.",
  judge: (history) =>
    judgeEach(history.calls, (call) => {
      if (isSuccess(call.status)) return "kept";
      return isInvalid(call, history) ? "broken" : undefined;
    }),
};

// Skips what other rules judge.
function isInvalid(call: CallEvent, history: History): boolean {
  const { operation, status, reason, facts } = call;
  if (facts.is_faulted) return false;
  if (status === 415 || reason === "unsupported_grant_type") return true;
  if (reason === "invalid_idempotency_key") return operation !== "createBookRoutine";
  // Without a body, like invalid_json: the connection may have dropped while it was sent.
  if (reason === "invalid_request") return facts.body !== null && !(isExchange(call) && facts.code === null);
  if (reason === "validation_failed") {
    return !facts.has_sensitive_metadata && (operation !== "verifyPartnerIdentity" || facts.named_people.length === 1);
  }
  if (reason !== "invalid_grant" || !isExchange(call) || facts.code === null) return false;
  return !findAuthorized(facts.code, history) && !isEarlyInRecord(call, history);
}

// The code may have been issued before the record begins.
function isEarlyInRecord(call: CallEvent, { events: [first] }: History): boolean {
  return first !== undefined && startOf(call) - startOf(first) < limits.authorizationCodeSeconds * 1000;
}

const intentKeyOnRetry: Rule = {
  id: "intent-key-on-retry",
  title: "Retries an intent with the same key",
  clauses: ["D6.4", "D13.8"],
  whatToDo:
    "Generate an idempotency key for each submitted form, store it before the first request, and send it again with every retry. Without it, a lost answer leaves two intents for one person.",
  judge: ({ calls }) => {
    const intents = calls.filter(({ operation, facts }) => operation === "createUserIntent" && facts.body !== null);
    const created = groupByText(
      intents.filter(({ status }) => isSuccess(status)),
      ({ facts }) => facts.body,
    );
    return mergeFindings(
      intents.filter(isLost).map((lost) => {
        const later = created.get(lost.facts.body ?? "") ?? [];
        const isAnswered = lost.status !== null;
        const repeated = later[indexAfter(later, startOf(lost) + (isAnswered ? limits.checkAtOnceMs : 0))];
        // Once answered, another submission may be intended.
        if (!repeated || (isAnswered && startOf(repeated) >= endOf(lost))) return {};
        const { idempotency_key } = lost.facts;
        const isSameKey = idempotency_key !== null && repeated.facts.idempotency_key === idempotency_key;
        return isSameKey ? { kept: [lost, repeated] } : { broken: [lost, repeated] };
      }),
    );
  },
};

/** Whether an intent was created, but a fault delayed its answer or prevented it. */
function isLost({ status, facts }: CallEvent): boolean {
  return status === null ? facts.resource_id !== null : isSuccess(status) && facts.is_faulted;
}

export const requestRules: readonly Rule[] = [requestsValid, intentKeyOnRetry];
