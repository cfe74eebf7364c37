import { limits } from "../../../../contract/limits.ts";
import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import {
  clientTimeOf,
  endOf,
  firstUseOf,
  type History,
  isRefresh,
  isSuccess,
  type Pair,
  refusalsOf,
  startOf,
} from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** A refresh while the access token is alive, and far from its end, is one too many. */
export const refreshOnlyWhenNeeded: Rule = {
  id: "refresh-only-when-needed",
  title: "Refreshes only when an access token has ended or is about to",
  clauses: ["I.authentication.13", "D10.3"],
  isAdvice: false,
  whatToDo: `Keep the computed expiry beside the access token. Refresh when the service says that the token has expired, or in the last ${limits.checkEarlyRefreshSeconds / 60} minutes of its life, and not before every request.`,
  judge: (history) =>
    judgeEach(history.calls.filter(isRefresh), (call) => {
      if (!isSuccess(call.status)) return undefined;
      const had = lastPairHad(call, history);
      if (!had) return undefined;
      if (isNeeded(call, had, history)) return "kept";
      return maySeemEnded(call, had, history) ? undefined : "broken";
    }),
};

// A client with a clock of its own may move it on only after it got its first pair by the moved clock of ours. That pair then
// seems to it to have ended, and nothing here shows that it does not.
function maySeemEnded(call: CallEvent, had: Pair, history: History): boolean {
  const pairs = history.pairsOfOwner.get(had.owner) ?? [];
  const before = pairs.slice(0, pairs.indexOf(had)).findLast((pair) => firstUseOf(pair, history) < startOf(call));
  if (!before) return false;
  const movedMs = aheadOf(had.issuedBy) - aheadOf(before.issuedBy);
  return isNearEnd(had, clientTimeOf(call) + movedMs);
}

function aheadOf(event: CallEvent): number {
  return clientTimeOf(event) - endOf(event);
}

/** The newest pair of which the client has shown, before this refresh or by it, that it had it. */
function lastPairHad(call: CallEvent, history: History): Pair | undefined {
  const presented = history.pairOfRefreshToken.get(call.facts.refresh_token ?? "");
  if (!presented) return undefined;
  const knownBefore = startOf(call) - limits.checkOverlapMs;
  return history.pairsOfOwner
    .get(presented.owner)
    ?.findLast((pair) => pair === presented || firstUseOf(pair, history) < knownBefore);
}

function isNeeded(call: CallEvent, had: Pair, history: History): boolean {
  const wasRefused = refusalsOf(had, history).some((refusal) => endOf(refusal) <= startOf(call));
  return wasRefused || isNearEnd(had, clientTimeOf(call));
}

function isNearEnd({ accessExpiresMs }: Pair, timeMs: number): boolean {
  return timeMs >= accessExpiresMs - limits.checkEarlyRefreshSeconds * 1000;
}
