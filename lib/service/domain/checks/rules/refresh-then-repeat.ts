import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, firstUseOf, type History, isRefresh, type Pair, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

type Part = { kept?: SandboxEvent[]; broken?: SandboxEvent[] };

/** What must follow the error `token_expired`: a new pair, and the same call with it. */
export const refreshThenRepeat: Rule = {
  id: "refresh-then-repeat",
  title: "After token_expired: one refresh, then the same call again",
  clauses: ["I.errors.1", "I.authentication.7", "D5.5"],
  isAdvice: false,
  whatToDo:
    "When a call is refused with token_expired, get a new pair once (by refresh, or by sending the person to authorize), and send the very same call again with the new access token. Do not send the expired one again.",
  judge: (history) => {
    const told = history.calls.filter(({ status, reason }) => status === 401 && reason === "token_expired");
    const parts = told.map((call) => judgeTold(call, history));
    return {
      kept: parts.flatMap(({ kept = [] }) => kept),
      broken: parts.flatMap(({ broken = [] }) => broken),
    };
  },
};

function judgeTold(told: CallEvent, history: History): Part {
  const pair = history.pairOfAccessToken.get(told.facts.access_token ?? "");
  if (!pair) return {};
  const next = history.pairsOfOwner.get(pair.owner)?.find((one) => one.issuedMs > pair.issuedMs);
  const again = laterUseOf(told, pair, history);
  if (again && !triedBetween(told, again, pair, history)) return { broken: [told, again] };
  // A pair that was never used may not have arrived.
  if (!next || firstUseOf(next, history) === Number.POSITIVE_INFINITY) return {};
  const repeat = history.calls.find(
    (call) =>
      call.operation === told.operation &&
      call.path === told.path &&
      startOf(call) >= next.issuedMs &&
      isLaterPairOf(pair, history.pairOfAccessToken.get(call.facts.access_token ?? "")),
  );
  if (repeat) return { kept: [told, next.issuedBy, repeat] };
  const isOver = history.untilMs - Math.max(endOf(told), next.issuedMs) >= limits.checkFollowUpMs;
  return isOver ? { broken: [told, next.issuedBy] } : {};
}

function isLaterPairOf(pair: Pair, other: Pair | undefined): boolean {
  return other?.owner === pair.owner && other.issuedMs > pair.issuedMs;
}

function laterUseOf(told: CallEvent, pair: Pair, { callsOfAccessToken }: History): CallEvent | undefined {
  return callsOfAccessToken.get(pair.accessToken)?.find((call) => startOf(call) > endOf(told) + limits.checkOverlapMs);
}

/** Whether the client tried to get a new pair before it used the expired token again; the outcome is another matter. */
function triedBetween(told: CallEvent, again: CallEvent, pair: Pair, { calls, visits, pairOfRefreshToken }: History) {
  const isBetween = (event: SandboxEvent) => startOf(event) >= startOf(told) && startOf(event) <= startOf(again);
  return (
    calls.some(
      (call) =>
        isBetween(call) &&
        ((isRefresh(call) && pairOfRefreshToken.get(call.facts.refresh_token ?? "")?.owner === pair.owner) ||
          call.operation === "verifyPartnerIdentity"),
    ) || visits.some((visit) => isBetween(visit) && visit.step === "opened")
  );
}
