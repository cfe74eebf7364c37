import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import {
  clientTimeOf,
  endOf,
  type History,
  isRefresh,
  isSuccess,
  type Pair,
  refusalsOf,
  revocationsOf,
  startOf,
} from "../history.ts";
import type { Rule } from "../rule.ts";

const days = limits.refreshTokenSeconds / 86_400;

/** Whether refresh tokens are renewed before they end. A jump over that end gives a client no chance, and is not judged. */
export const renewInsideTenDays: Rule = {
  id: "renew-inside-ten-days",
  title: `Renews each refresh token inside its ${days} days`,
  clauses: ["I.authentication.14", "I.tokens-and-codes.3", "I.limits.6"],
  isAdvice: false,
  whatToDo: `Refresh each stored pair once a week by a job of your own, whether anybody uses it or not, so that no person must authorize again because ${days} days have passed.`,
  judge: (history) => ({
    kept: history.calls.filter((call) => isProactive(call, history)),
    broken: history.pairs.flatMap((pair) => lapseOf(pair, history)),
  }),
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
function lapseOf(pair: Pair, history: History): SandboxEvent[] {
  const later = history.events.filter((event) => startOf(event) > pair.issuedMs);
  if (later.some((event) => event.kind === "control" && event.operation === "resetSandboxClock")) return [];
  const end = later.find((event) => clientTimeOf(event) >= pair.refreshExpiresMs);
  if (!end) return [];
  const tries = history.refreshesOfToken.get(pair.refreshToken) ?? [];
  const others = history.pairsOfOwner.get(pair.owner) ?? [];
  const isLookedAfter =
    revocationsOf(pair.owner, history).some((call) => startOf(call) < startOf(end)) ||
    tries.some((call) => startOf(call) < startOf(end)) ||
    others.some(({ issuedMs }) => issuedMs > pair.issuedMs && issuedMs < startOf(end));
  if (isLookedAfter) return [];
  const isRealAge = endOf(end) - pair.issuedMs >= limits.refreshTokenSeconds * 1000;
  if (isRealAge) return [pair.issuedBy, end];
  const told = refusalsOf(pair, history).find(
    (refusal) =>
      clientTimeOf(refusal) < pair.refreshExpiresMs && startOf(end) - endOf(refusal) >= limits.checkFollowUpMs,
  );
  return told ? [told, end] : [];
}
