import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, VisitEvent } from "../../../../contract/sandbox-events.ts";
import {
  clientTimeOf,
  endOf,
  firstUseOf,
  groupByText,
  type History,
  isRefresh,
  isSuccess,
  type Pair,
  startOf,
} from "../history.ts";
import { type Findings, judgeEach, mergeFindings, type Rule } from "../rule.ts";
import { indexAfter, indexFrom, RangeMaximum } from "../search.ts";

const refreshOnlyWhenNeeded: Rule = {
  id: "refresh-only-when-needed",
  title: "Refreshes only when an access token has expired or is about to",
  clauses: ["I.authentication.13", "D10.3"],
  whatToDo: `Store the computed expiry with the access token. Refresh when the service reports an expired token, or in the last ${limits.checkEarlyRefreshSeconds / 60} minutes of its life, not before every request.`,
  judge: (history) => {
    const firstUses = new Map(
      [...history.pairsOfOwner].map(([owner, pairs]) => [owner, new FirstUses(pairs, history)]),
    );
    const firstRefusalMs = new Map(
      [...history.refusalsOfToken].map(([token, refusals]) => [token, Math.min(...refusals.map(endOf))]),
    );
    return judgeEach(history.calls.filter(isRefresh), (call) => {
      const presented = history.pairOfRefreshToken.get(call.facts.refresh_token ?? "");
      const uses = presented && firstUses.get(presented.owner);
      if (!isSuccess(call.status) || !uses) return undefined;
      const had = uses.lastHad(presented, startOf(call) - limits.checkOverlapMs);
      const isRefused = (firstRefusalMs.get(had.accessToken) ?? Number.POSITIVE_INFINITY) <= startOf(call);
      if (isRefused || isNearEnd(had, clientTimeOf(call))) return "kept";
      return mayLookExpired(call, had, uses) ? undefined : "broken";
    });
  },
};

/** One owner's pairs by first use. */
class FirstUses {
  readonly #pairs: readonly Pair[];
  readonly #indexOfPair: ReadonlyMap<Pair, number>;
  // Negated, to search for the earliest.
  readonly #uses: RangeMaximum;

  constructor(pairs: readonly Pair[], history: History) {
    this.#pairs = pairs;
    this.#indexOfPair = new Map(pairs.map((pair, index) => [pair, index]));
    this.#uses = new RangeMaximum(pairs.map((pair) => -firstUseOf(pair, history)));
  }

  /** The newest pair the client had shown it had, by using or presenting it. */
  lastHad(presented: Pair, beforeMs: number): Pair {
    const used = this.#uses.lastBefore(this.#pairs.length, (use) => -use < beforeMs);
    return this.#pairs[Math.max(used, this.#indexOfPair.get(presented) ?? -1)] ?? presented;
  }

  /** The newest pair older than `pair` that was used before `beforeMs`. */
  lastUsedBefore(pair: Pair, beforeMs: number): Pair | undefined {
    return this.#pairs[this.#uses.lastBefore(this.#indexOfPair.get(pair) ?? 0, (use) => -use < beforeMs)];
  }
}

// A client may advance its own clock only after its first pair from our advanced clock, which then looks expired to it.
function mayLookExpired(call: CallEvent, had: Pair, uses: FirstUses): boolean {
  const before = uses.lastUsedBefore(had, startOf(call));
  if (!before) return false;
  const movedMs = aheadOf(had.issuedBy) - aheadOf(before.issuedBy);
  return isNearEnd(had, clientTimeOf(call) + movedMs);
}

function aheadOf(event: CallEvent): number {
  return clientTimeOf(event) - endOf(event);
}

function isNearEnd({ accessExpiresMs }: Pair, timeMs: number): boolean {
  return timeMs >= accessExpiresMs - limits.checkEarlyRefreshSeconds * 1000;
}

const newestRefreshToken: Rule = {
  id: "newest-refresh-token",
  title: "Refreshes with the newest refresh token",
  clauses: ["I.tokens-and-codes.3", "D10.3"],
  whatToDo:
    "Store both tokens of each refresh in one write. An app that keeps the first refresh token works until that one expires, and then every person must authorize again.",
  judge: (history) =>
    judgeEach(history.calls.filter(isRefresh), (call) => {
      const presented = history.pairOfRefreshToken.get(call.facts.refresh_token ?? "");
      if (!presented) return undefined;
      const next = history.nextPair.get(presented);
      // Another process may still have the older one.
      if (next && firstUseOf(next, history) + limits.checkOverlapMs < startOf(call)) return "broken";
      return history.previousPair.has(presented) ? "kept" : undefined;
    }),
};

const refreshOneAtATime: Rule = {
  id: "refresh-one-at-a-time",
  title: "Never runs two refreshes at once with the same refresh token",
  clauses: ["I.authentication.13", "D10.3"],
  whatToDo:
    "Serialize refreshes per user across all your processes, for example with a database lock. Once you hold the lock, read the stored pair again and use it if it was just refreshed.",
  judge: ({ refreshesOfToken }) => {
    const groups = [...refreshesOfToken.values()];
    return {
      kept: groups.flat(),
      broken: groups.flatMap((refreshes) =>
        refreshes.flatMap((later, index) => {
          const earlier = refreshes[index - 1];
          const isAtOnce =
            earlier && startOf(later) < endOf(earlier) && startOf(later) - startOf(earlier) < limits.checkAtOnceMs;
          return isAtOnce ? [earlier, later] : [];
        }),
      ),
    };
  },
};

const refreshThenRepeat: Rule = {
  id: "refresh-then-repeat",
  title: "After token_expired, refreshes once and repeats the call",
  clauses: ["I.errors.1", "I.authentication.7", "D5.5"],
  whatToDo:
    "When a call is refused with token_expired, get a new pair once (refresh, or send the person to authorize), then repeat the call with the new access token. Don't send the expired one again.",
  judge: (history) => {
    const expired = history.calls.filter(({ status, reason }) => status === 401 && reason === "token_expired");
    const reactions = collectReactions(history);
    return mergeFindings(expired.map((call) => judgeExpired(call, history, reactions)));
  },
};

/** Possible reactions to an expired token, each by start time. */
type Reactions = {
  refreshesOfOwner: ReadonlyMap<string, readonly CallEvent[]>;
  verifications: readonly CallEvent[];
  openings: readonly VisitEvent[];
  /** Calls by token owner, operation, and path. */
  callsOfKey: ReadonlyMap<string, UsedPairs>;
};

function collectReactions({ calls, visits, pairOfAccessToken, pairOfRefreshToken }: History): Reactions {
  const ownerOfRefresh = ({ facts }: CallEvent) => pairOfRefreshToken.get(facts.refresh_token ?? "")?.owner ?? null;
  const keyOfCall = (call: CallEvent) => {
    const pair = pairOfAccessToken.get(call.facts.access_token ?? "");
    return pair ? keyOf(pair, call) : null;
  };
  return {
    refreshesOfOwner: groupByText(calls.filter(isRefresh), ownerOfRefresh),
    verifications: calls.filter(({ operation }) => operation === "verifyPartnerIdentity"),
    openings: visits.filter(({ step }) => step === "opened"),
    callsOfKey: new Map(
      [...groupByText(calls, keyOfCall)].map(([key, keyCalls]) => [key, new UsedPairs(keyCalls, pairOfAccessToken)]),
    ),
  };
}

function keyOf({ owner }: Pair, { operation, path }: CallEvent): string {
  return JSON.stringify([owner, operation, path]);
}

class UsedPairs {
  readonly #calls: readonly CallEvent[];
  readonly #issued: RangeMaximum;

  constructor(calls: readonly CallEvent[], pairOfAccessToken: History["pairOfAccessToken"]) {
    this.#calls = calls;
    this.#issued = new RangeMaximum(
      calls.map(({ facts }) => pairOfAccessToken.get(facts.access_token ?? "")?.issuedMs ?? Number.NEGATIVE_INFINITY),
    );
  }

  /** The first call since `sinceMs` with a token newer than this pair. */
  firstWithLaterPair({ issuedMs }: Pair, sinceMs: number): CallEvent | undefined {
    return this.#calls[this.#issued.firstFrom(indexFrom(this.#calls, sinceMs), (issued) => issued > issuedMs)];
  }
}

function judgeExpired(expired: CallEvent, history: History, reactions: Reactions): Partial<Findings> {
  const pair = history.pairOfAccessToken.get(expired.facts.access_token ?? "");
  if (!pair) return {};
  const next = history.nextPair.get(pair);
  const uses = history.callsOfAccessToken.get(pair.accessToken) ?? [];
  const nextUse = uses[indexAfter(uses, endOf(expired) + limits.checkOverlapMs)];
  if (nextUse && !triedBetween(expired, nextUse, pair, reactions)) return { broken: [expired, nextUse] };
  // An unused pair may not have arrived.
  if (!next || firstUseOf(next, history) === Number.POSITIVE_INFINITY) return {};
  const repeat = reactions.callsOfKey.get(keyOf(pair, expired))?.firstWithLaterPair(pair, next.issuedMs);
  if (repeat) return { kept: [expired, next.issuedBy, repeat] };
  // After a failed refresh or another authorization, the client may have given the call up.
  if (next.issuedBy !== history.refreshesOfToken.get(pair.refreshToken)?.[0]) return {};
  const isOver = history.untilMs - Math.max(endOf(expired), next.issuedMs) >= limits.checkFollowUpMs;
  return isOver ? { broken: [expired, next.issuedBy] } : {};
}

/** Whether the client tried to get a new pair, successfully or not, before using the expired token again. */
function triedBetween(expired: CallEvent, nextUse: CallEvent, { owner }: Pair, reactions: Reactions): boolean {
  const tries = [reactions.refreshesOfOwner.get(owner) ?? [], reactions.verifications, reactions.openings];
  return tries.some((events) => {
    const first = events[indexFrom(events, startOf(expired))];
    return first !== undefined && startOf(first) <= startOf(nextUse);
  });
}

const currentAccessToken: Rule = {
  id: "current-access-token",
  title: "Never uses a superseded access token once it has the new one",
  clauses: ["I.authentication.12", "I.tokens-and-codes.2", "D10.3"],
  whatToDo:
    "Keep one current pair per user in your database, and read it for each request. A copy in process memory goes stale when another process refreshes.",
  judge: (history) => {
    const outdatedMs = outdatedMsOf(history);
    return {
      kept: history.calls.filter(({ facts }) => isOfLaterPair(facts.access_token, history)),
      broken: history.calls.filter((call) => {
        const pair = history.pairOfAccessToken.get(call.facts.access_token ?? "");
        return pair !== undefined && (outdatedMs.get(pair) ?? Number.POSITIVE_INFINITY) < startOf(call);
      }),
    };
  },
};

/** When each pair goes out of date: shortly after the client first uses a newer one. */
function outdatedMsOf(history: History): Map<Pair, number> {
  const outdated = new Map<Pair, number>();
  for (const pairs of history.pairsOfOwner.values()) {
    let newerUseMs = Number.POSITIVE_INFINITY;
    // Pairs issued in the same millisecond don't supersede each other.
    let sameUseMs = Number.POSITIVE_INFINITY;
    let later: Pair | undefined;
    for (const pair of pairs.toReversed()) {
      if (later && later.issuedMs > pair.issuedMs) {
        newerUseMs = Math.min(newerUseMs, sameUseMs);
        sameUseMs = Number.POSITIVE_INFINITY;
      }
      outdated.set(pair, newerUseMs + limits.checkOverlapMs);
      sameUseMs = Math.min(sameUseMs, firstUseOf(pair, history));
      later = pair;
    }
  }
  return outdated;
}

function isOfLaterPair(accessToken: string | null, { pairOfAccessToken, pairsOfOwner }: History): boolean {
  const pair = pairOfAccessToken.get(accessToken ?? "");
  return pair !== undefined && pairsOfOwner.get(pair.owner)?.[0] !== pair;
}

export const refreshRules: readonly Rule[] = [
  refreshOnlyWhenNeeded,
  newestRefreshToken,
  refreshOneAtATime,
  refreshThenRepeat,
  currentAccessToken,
];
