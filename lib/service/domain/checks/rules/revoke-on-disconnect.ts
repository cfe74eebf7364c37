import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import {
  clientTimeOf,
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
  judge: (history) => ({
    kept: history.calls.filter(({ operation, status }) => operation === "revokeToken" && isSuccess(status)),
    broken: history.calls.filter(isExchange).flatMap((call) => forgotten(call, history)),
  }),
};

function forgotten(call: CallEvent, history: History): SandboxEvent[] {
  const pair = history.pairOfAccessToken.get(call.facts.issued?.access_token ?? "");
  if (!pair) return [];
  const visit = history.visits.find(({ facts }) => facts.code !== null && facts.code === call.facts.code);
  const opening = visit && history.openings.get(visit.visit_id ?? "");
  const before = history.pairsOfOwner.get(pair.owner)?.findLast((one) => one.issuedMs < pair.issuedMs);
  // A visit in another tab was under way already when the pair before came.
  if (!opening || !before || startOf(opening) < before.issuedMs) return [];
  const isLive = clientTimeOf(call) < before.accessExpiresMs - limits.checkEarlyRefreshSeconds * 1000;
  const isKnown = firstUseOf(before, history) < startOf(opening);
  return isLive && isKnown && !isEnded(before, history) ? [before.issuedBy, opening, call] : [];
}

/** Whether the client was told that a pair is dead, or it was ended by other means than by being forgotten. */
function isEnded(pair: Pair, history: History): boolean {
  const { calls, controls, refreshesOfToken } = history;
  const isLater = (event: SandboxEvent) => startOf(event) > pair.issuedMs;
  return (
    refusalsOf(pair, history).length > 0 ||
    (refreshesOfToken.get(pair.refreshToken) ?? []).some(({ status }) => isDefiniteRefusal(status)) ||
    calls.some((call) => call.operation === "revokeToken" && isLater(call)) ||
    // It ends every authorization.
    controls.some((control) => control.operation === "resetSandboxClock" && isLater(control))
  );
}
