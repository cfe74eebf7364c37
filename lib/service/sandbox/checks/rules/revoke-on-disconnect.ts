import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent, VisitEvent } from "../../../../contract/sandbox-events.ts";
import {
  clientTimeOf,
  firstBy,
  firstUseOf,
  type History,
  isDefiniteRefusal,
  isExchange,
  isSuccess,
  type Pair,
  refusalsOf,
  startOf,
} from "../history.ts";
import type { Rule } from "../rule.ts";

/** The service sees no button "disconnect", but it sees a person authorize again while the last pair was alive and in use. */
export const revokeOnDisconnect: Rule = {
  id: "revoke-on-disconnect",
  title: "Revokes the authorization when a person disconnects",
  clauses: ["D10.5"],
  isAdvice: true,
  whatToDo:
    "When a person disconnects, call POST /v1/oauth/revoke with the refresh token before you forget the pair. What is only forgotten stays good for whoever finds it.",
  judge: (history) => {
    const visitOfCode = firstBy(history.visits, ({ facts }) => facts.code);
    const revocations = history.calls.filter(({ operation }) => operation === "revokeToken");
    // A reset of the clock ends every authorization.
    const lastEndMs = Math.max(history.lastClockResetMs, ...revocations.slice(-1).map(startOf));
    return {
      kept: revocations.filter(({ status }) => isSuccess(status)),
      broken: history.calls
        .filter(isExchange)
        .flatMap((call) => forgotten(call, { visit: visitOfCode.get(call.facts.code ?? ""), lastEndMs }, history)),
    };
  },
};

function forgotten(
  call: CallEvent,
  { visit, lastEndMs }: { visit: VisitEvent | undefined; lastEndMs: number },
  history: History,
): SandboxEvent[] {
  const pair = history.pairOfAccessToken.get(call.facts.issued?.access_token ?? "");
  if (!pair) return [];
  const opening = visit && history.openings.get(visit.visit_id ?? "");
  const before = history.previousPair.get(pair);
  // A visit in another tab was under way already when the pair before came.
  if (!opening || !before || startOf(opening) < before.issuedMs) return [];
  const isLive = clientTimeOf(call) < before.accessExpiresMs - limits.checkEarlyRefreshSeconds * 1000;
  const isKnown = firstUseOf(before, history) < startOf(opening);
  return isLive && isKnown && lastEndMs <= before.issuedMs && !isToldDead(before, history)
    ? [before.issuedBy, opening, call]
    : [];
}

/** Whether the client was told that a pair is dead. */
function isToldDead(pair: Pair, history: History): boolean {
  return (
    refusalsOf(pair, history).length > 0 ||
    (history.refreshesOfToken.get(pair.refreshToken) ?? []).some(({ status }) => isDefiniteRefusal(status))
  );
}
