import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { clientTimeOf, endOf, type History, isRefresh, isSuccess, type Pair, refusalsOf, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";
import { placeAfter, RangeMaximum } from "../search.ts";

const days = limits.refreshTokenSeconds / 86_400;

/** Whether refresh tokens are renewed before they end. A jump over that end gives a client no chance, and is not judged. */
export const renewInsideTenDays: Rule = {
  id: "renew-inside-ten-days",
  title: `Renews each refresh token inside its ${days} days`,
  clauses: ["I.authentication.14", "I.tokens-and-codes.3", "I.limits.6"],
  isAdvice: false,
  whatToDo: `Refresh each stored pair once a week by a job of your own, whether anybody uses it or not, so that no person must authorize again because ${days} days have passed.`,
  judge: (history) => {
    const clientTimes = new RangeMaximum(history.events.map(clientTimeOf));
    return {
      kept: history.calls.filter((call) => isProactive(call, history)),
      broken: history.pairs.flatMap((pair) => lapseOf(pair, clientTimes, history)),
    };
  },
};

/** A refresh of a pair that nobody had used for long, not because a call was refused. */
function isProactive(call: CallEvent, history: History): boolean {
  if (!isRefresh(call) || !isSuccess(call.status)) return false;
  const pair = history.pairOfRefreshToken.get(call.facts.refresh_token ?? "");
  if (!pair) return false;
  const ageMs = clientTimeOf(call) - clientTimeOf(pair.issuedBy);
  return ageMs >= limits.checkProactiveRenewalSeconds * 1000 && refusalsOf(pair, history).length === 0;
}

/** The events that show that the client knew that a pair needed a refresh, had time for it, and let it end. */
function lapseOf(pair: Pair, clientTimes: RangeMaximum, history: History): SandboxEvent[] {
  if (history.lastClockResetMs > pair.issuedMs) return [];
  const later = placeAfter(history.events, pair.issuedMs);
  const end = history.events[clientTimes.firstFrom(later, (time) => time >= pair.refreshExpiresMs)];
  if (!end) return [];
  const isBeforeEnd = (call: CallEvent | undefined) => call !== undefined && startOf(call) < startOf(end);
  const next = history.nextPair.get(pair);
  const isLookedAfter =
    isBeforeEnd(history.revocationsOfOwner.get(pair.owner)?.[0]) ||
    isBeforeEnd(history.refreshesOfToken.get(pair.refreshToken)?.[0]) ||
    (next !== undefined && next.issuedMs < startOf(end));
  if (isLookedAfter) return [];
  const isRealAge = endOf(end) - pair.issuedMs >= limits.refreshTokenSeconds * 1000;
  if (isRealAge) return [pair.issuedBy, end];
  const told = refusalsOf(pair, history).find(
    (refusal) =>
      clientTimeOf(refusal) < pair.refreshExpiresMs && startOf(end) - endOf(refusal) >= limits.checkFollowUpMs,
  );
  return told ? [told, end] : [];
}
