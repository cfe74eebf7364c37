import { limits } from "../../../../contract/limits.ts";
import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { clientTimeOf, endOf, firstUseOf, type History, isRefresh, isSuccess, type Pair, startOf } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { RangeMaximum } from "../search.ts";

/** A refresh while the access token is alive, and far from its end, is one too many. */
export const refreshOnlyWhenNeeded: Rule = {
  id: "refresh-only-when-needed",
  title: "Refreshes only when an access token has ended or is about to",
  clauses: ["I.authentication.13", "D10.3"],
  isAdvice: false,
  whatToDo: `Keep the computed expiry beside the access token. Refresh when the service says that the token has expired, or in the last ${limits.checkEarlyRefreshSeconds / 60} minutes of its life, and not before every request.`,
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
      return maySeemEnded(call, had, uses) ? undefined : "broken";
    });
  },
};

/** The pairs of one owner by when the client first showed that it had them. */
class FirstUses {
  readonly #pairs: readonly Pair[];
  readonly #places: ReadonlyMap<Pair, number>;
  // Negated, because the earliest uses are looked for.
  readonly #uses: RangeMaximum;

  constructor(pairs: readonly Pair[], history: History) {
    this.#pairs = pairs;
    this.#places = new Map(pairs.map((pair, place) => [pair, place]));
    this.#uses = new RangeMaximum(pairs.map((pair) => -firstUseOf(pair, history)));
  }

  /** The newest pair of which the client has shown, before some moment or by presenting it, that it had it. */
  lastHad(presented: Pair, beforeMs: number): Pair {
    const used = this.#uses.lastBefore(this.#pairs.length, (use) => -use < beforeMs);
    return this.#pairs[Math.max(used, this.#places.get(presented) ?? -1)] ?? presented;
  }

  /** The newest one, older than `pair`, that the client had used before some moment. */
  lastUsedBefore(pair: Pair, beforeMs: number): Pair | undefined {
    return this.#pairs[this.#uses.lastBefore(this.#places.get(pair) ?? 0, (use) => -use < beforeMs)];
  }
}

// A client with a clock of its own may move it on only after it got its first pair by the moved clock of ours. That pair then
// seems to it to have ended, and nothing here shows that it does not.
function maySeemEnded(call: CallEvent, had: Pair, uses: FirstUses): boolean {
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
