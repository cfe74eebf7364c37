import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent, VisitEvent } from "../../../../contract/sandbox-events.ts";
import {
  clientTimeOf,
  endOf,
  firstBy,
  firstUseOf,
  type History,
  isDefiniteRefusal,
  isExchange,
  isRefresh,
  isSuccess,
  type Pair,
  refusalsOf,
  sentPair,
  startOf,
} from "../history.ts";
import { judgeEach, mergeFindings, type Rule } from "../rule.ts";
import { indexAfter, indexFrom, RangeMaximum } from "../search.ts";

const days = limits.refreshTokenSeconds / 86_400;

const renewInsideTenDays: Rule = {
  id: "renew-inside-ten-days",
  title: `Renews each refresh token within its ${days} days`,
  clauses: ["I.authentication.14", "I.tokens-and-codes.3", "I.limits.6"],
  whatToDo: `Run a job that refreshes each stored pair once a week, even if it's unused, so people don't have to authorize again just because ${days} days have passed.`,
  judge: (history) => {
    const clientTimes = new RangeMaximum(history.events.map(clientTimeOf));
    return {
      kept: history.calls.filter((call) => isProactive(call, history)),
      broken: history.pairs.flatMap((pair) => findLapse(pair, clientTimes, history)),
    };
  },
};

/** A refresh of a long-idle pair, not triggered by a refused call. */
function isProactive(call: CallEvent, history: History): boolean {
  if (!isRefresh(call) || !isSuccess(call.status)) return false;
  const pair = history.pairOfRefreshToken.get(call.facts.refresh_token ?? "");
  if (!pair) return false;
  const ageMs = clientTimeOf(call) - clientTimeOf(pair.issuedBy);
  return ageMs >= limits.checkProactiveRenewalSeconds * 1000 && refusalsOf(pair, history).length === 0;
}

/** Evidence that the client knew a pair needed a refresh, had time for it, and let it expire. */
function findLapse(pair: Pair, clientTimes: RangeMaximum, history: History): SandboxEvent[] {
  if (history.lastClockResetMs > pair.issuedMs) return [];
  const later = indexAfter(history.events, pair.issuedMs);
  const end = history.events[clientTimes.firstFrom(later, (time) => time >= pair.refreshExpiresMs)];
  if (!end) return [];
  const isBeforeEnd = (call: CallEvent | undefined) => call !== undefined && startOf(call) < startOf(end);
  const next = history.nextPair.get(pair);
  const revocations = history.revocationsOfOwner.get(pair.owner) ?? [];
  const isHandled =
    isBeforeEnd(revocations[indexFrom(revocations, pair.issuedMs - limits.checkAtOnceMs)]) ||
    isBeforeEnd(history.refreshesOfToken.get(pair.refreshToken)?.[0]) ||
    (next !== undefined && next.issuedMs < startOf(end)) ||
    // The service ended the pair, and said so.
    isBeforeEnd(refusalsOf(pair, history).find(({ reason }) => reason === "invalid_token"));
  if (isHandled) return [];
  const isRealAge = endOf(end) - pair.issuedMs >= limits.refreshTokenSeconds * 1000;
  if (isRealAge) return [pair.issuedBy, end];
  const refused = refusalsOf(pair, history).find(
    (refusal) =>
      // No refresh replaces a revoked token.
      refusal.reason === "token_expired" &&
      clientTimeOf(refusal) < pair.refreshExpiresMs &&
      startOf(end) - endOf(refusal) >= limits.checkFollowUpMs,
  );
  return refused ? [refused, end] : [];
}

const expiredRefreshToken: Rule = {
  id: "expired-refresh-token",
  title: "Stops refreshing with a dead refresh token, and asks the person to authorize",
  clauses: ["I.states-and-transitions.6", "I.authentication.7", "D10.1"],
  whatToDo:
    "When a refresh is refused with invalid_grant, delete the pair and send the person to the authorization pages on their next visit. Retrying with the same token can't succeed.",
  judge: (history) => {
    const lastPrompts = lastPromptsOf(history);
    const groups = [...history.refreshesOfToken].map(([token, refreshes]) => {
      const refusals = refreshes.filter(
        ({ status, reason }) => isDefiniteRefusal(status) && reason === "invalid_grant",
      );
      const [first] = refusals;
      // A second refusal may come from another process or a lost answer.
      const isStubborn =
        refusals.length > 2 && refusals.some((call) => first && startOf(call) > endOf(first) + limits.checkOverlapMs);
      const pair = history.pairOfRefreshToken.get(token);
      const promptedMs = (pair && lastPrompts.get(pair.owner)) ?? Number.NEGATIVE_INFINITY;
      const isPrompted = first !== undefined && promptedMs > endOf(first);
      return { refusals, isStubborn, isPrompted };
    });
    return {
      kept: groups.filter(({ isPrompted }) => isPrompted).flatMap(({ refusals }) => refusals),
      broken: groups.filter(({ isStubborn }) => isStubborn).flatMap(({ refusals }) => refusals),
    };
  },
};

/** By user, the last visit to the authorization pages or code exchange. */
function lastPromptsOf({ calls, visits }: History): Map<string, number> {
  const visited = visits
    .filter(({ step }) => step === "opened")
    .flatMap((visit) => usersOf(visit).map((user) => [user, startOf(visit)] as const));
  const lastPrompts = new Map(visited);
  for (const call of calls) {
    const user = isExchange(call) ? call.facts.issued?.user_id : undefined;
    if (user) lastPrompts.set(user, Math.max(startOf(call), lastPrompts.get(user) ?? startOf(call)));
  }
  return lastPrompts;
}

function usersOf({ facts, joins }: VisitEvent): string[] {
  const joined = joins.filter((join) => join.startsWith("user:")).map((join) => join.slice("user:".length));
  return facts.user_id === null ? joined : [facts.user_id, ...joined];
}

const nothingAfterRevocation: Rule = {
  id: "nothing-after-revocation",
  title: "Never uses a token after revoking its authorization",
  clauses: ["D10.5", "D10.6"],
  whatToDo:
    "When you revoke a pair, delete it everywhere, including in jobs and other processes. Revoking any live token ends every authorization of that user.",
  judge: (history) => {
    const ends = new Map(
      [...history.revocationsOfOwner].flatMap(([owner, revocations]) => endedPairs(revocations, owner, history)),
    );
    return {
      kept: [...history.revocationsOfOwner.values()].flat(),
      broken: history.calls.filter((call) => {
        const pair = call.operation === "revokeToken" ? undefined : sentPair(call, history);
        const endedMs = pair && ends.get(pair);
        return endedMs !== undefined && startOf(call) > endedMs + limits.checkOverlapMs;
      }),
    };
  },
};

/** An owner's pairs, each with the end of the revocation that ended it. */
function endedPairs(revocations: readonly CallEvent[], owner: string, history: History): [Pair, number][] {
  const pairs = history.pairsOfOwner.get(owner) ?? [];
  const ended: [Pair, number][] = [];
  for (const revocation of revocations) {
    const revoked = revokedPair(revocation, history);
    // A pair that an earlier revocation ended can't end others.
    if (!revoked || revoked.issuedMs <= (ended.at(-1)?.[1] ?? 0)) continue;
    for (let pair = pairs[ended.length]; pair && pair.issuedMs <= startOf(revocation); pair = pairs[ended.length]) {
      ended.push([pair, endOf(revocation)]);
    }
  }
  return ended;
}

/** The pair whose token was revoked; none if that token had expired or been superseded, and nothing was revoked. */
function revokedPair(revocation: CallEvent, history: History): Pair | undefined {
  const pair = sentPair(revocation, history);
  if (!pair) return undefined;
  if (revocation.facts.revoked_token === pair.refreshToken) {
    return clientTimeOf(revocation) < pair.refreshExpiresMs ? pair : undefined;
  }
  const next = history.nextPair.get(pair);
  const isSuperseded = next !== undefined && next.issuedMs <= startOf(revocation);
  return clientTimeOf(revocation) < pair.accessExpiresMs && !isSuperseded ? pair : undefined;
}

const revokeOnDisconnect: Rule = {
  id: "revoke-on-disconnect",
  title: "Revokes the authorization when a person disconnects",
  clauses: ["D10.5"],
  isAdvice: true,
  whatToDo:
    "When a person disconnects, call POST /v1/oauth/revoke with the refresh token before you delete the pair. A token that was only deleted still works if it leaked.",
  judge: (history) => {
    const visitOfCode = firstBy(history.visits, ({ facts }) => facts.code);
    const revocations = history.calls.filter(({ operation }) => operation === "revokeToken");
    // A clock reset ends every authorization.
    const lastEndMs = Math.max(history.lastClockResetMs, ...revocations.slice(-1).map(startOf));
    return {
      kept: revocations.filter(({ status }) => isSuccess(status)),
      broken: history.calls
        .filter(isExchange)
        .flatMap((call) => unrevokedPair(call, { visit: visitOfCode.get(call.facts.code ?? ""), lastEndMs }, history)),
    };
  },
};

function unrevokedPair(
  call: CallEvent,
  { visit, lastEndMs }: { visit: VisitEvent | undefined; lastEndMs: number },
  history: History,
): SandboxEvent[] {
  const pair = history.pairOfAccessToken.get(call.facts.issued?.access_token ?? "");
  if (!pair) return [];
  const opening = visit && history.openings.get(visit.visit_id ?? "");
  const before = history.previousPair.get(pair);
  // A visit in another tab may have started before the previous pair arrived.
  if (!opening || !before || startOf(opening) < before.issuedMs) return [];
  const isLive = clientTimeOf(call) < before.accessExpiresMs - limits.checkEarlyRefreshSeconds * 1000;
  const isKnown = firstUseOf(before, history) < startOf(opening);
  return isLive && isKnown && lastEndMs <= before.issuedMs && !isKnownDead(before, history)
    ? [before.issuedBy, opening, call]
    : [];
}

function isKnownDead(pair: Pair, history: History): boolean {
  return (
    refusalsOf(pair, history).length > 0 ||
    (history.refreshesOfToken.get(pair.refreshToken) ?? []).some(({ status }) => isDefiniteRefusal(status))
  );
}

const noCredentialsInAddresses: Rule = {
  id: "no-credentials-in-addresses",
  title: "Puts no token, code, or secret in a request URL",
  clauses: ["I.authentication.1", "I.authentication.2", "D10.4"],
  whatToDo:
    "Send client credentials and access tokens in the authorization header, and codes and refresh tokens in the body. Treat anything that was in a URL as leaked, and revoke it.",
  judge: ({ calls, visits }) =>
    mergeFindings([
      judgeEach(calls, ({ facts }) => {
        if (facts.has_credential_in_url) return "broken";
        return facts.authorization === "none" ? undefined : "kept";
      }),
      judgeEach(visits, ({ facts }) => (facts.has_credential_in_url ? "broken" : undefined)),
    ]),
};

export const tokenRules: readonly Rule[] = [
  renewInsideTenDays,
  expiredRefreshToken,
  nothingAfterRevocation,
  revokeOnDisconnect,
  noCredentialsInAddresses,
];
