import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent, VisitEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, firstUseOf, groupByText, type History, isRefresh, type Pair, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";
import { placeAfter, placeFrom, RangeMaximum } from "../search.ts";

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
    const facts = collectFacts(history);
    const parts = told.map((call) => judgeTold(call, history, facts));
    return {
      kept: parts.flatMap(({ kept = [] }) => kept),
      broken: parts.flatMap(({ broken = [] }) => broken),
    };
  },
};

/** What a client may do about an expired token, each kind in the order of its beginnings. */
type Facts = {
  refreshesOfOwner: ReadonlyMap<string, readonly CallEvent[]>;
  verifications: readonly CallEvent[];
  openings: readonly VisitEvent[];
  /** Calls by whose token they bore, operation and path. */
  callsOfKey: ReadonlyMap<string, UsedPairs>;
};

function collectFacts({ calls, visits, pairOfAccessToken, pairOfRefreshToken }: History): Facts {
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
      [...groupByText(calls, keyOfCall)].map(([key, own]) => [key, new UsedPairs(own, pairOfAccessToken)]),
    ),
  };
}

function keyOf({ owner }: Pair, { operation, path }: CallEvent): string {
  return JSON.stringify([owner, operation, path]);
}

/** Calls for the same with the tokens of one owner. */
class UsedPairs {
  readonly #calls: readonly CallEvent[];
  readonly #issued: RangeMaximum;

  constructor(calls: readonly CallEvent[], pairOfAccessToken: History["pairOfAccessToken"]) {
    this.#calls = calls;
    this.#issued = new RangeMaximum(
      calls.map(({ facts }) => pairOfAccessToken.get(facts.access_token ?? "")?.issuedMs ?? Number.NEGATIVE_INFINITY),
    );
  }

  /** The first one since some moment with a token of a later pair than this one. */
  firstWithLaterPair({ issuedMs }: Pair, sinceMs: number): CallEvent | undefined {
    return this.#calls[this.#issued.firstFrom(placeFrom(this.#calls, sinceMs), (issued) => issued > issuedMs)];
  }
}

function judgeTold(told: CallEvent, history: History, facts: Facts): Part {
  const pair = history.pairOfAccessToken.get(told.facts.access_token ?? "");
  if (!pair) return {};
  const next = history.nextPair.get(pair);
  const uses = history.callsOfAccessToken.get(pair.accessToken) ?? [];
  const again = uses[placeAfter(uses, endOf(told) + limits.checkOverlapMs)];
  if (again && !triedBetween(told, again, pair, facts)) return { broken: [told, again] };
  // A pair that was never used may not have arrived.
  if (!next || firstUseOf(next, history) === Number.POSITIVE_INFINITY) return {};
  const repeat = facts.callsOfKey.get(keyOf(pair, told))?.firstWithLaterPair(pair, next.issuedMs);
  if (repeat) return { kept: [told, next.issuedBy, repeat] };
  const isOver = history.untilMs - Math.max(endOf(told), next.issuedMs) >= limits.checkFollowUpMs;
  return isOver ? { broken: [told, next.issuedBy] } : {};
}

/** Whether the client tried to get a new pair before it used the expired token again; the outcome is another matter. */
function triedBetween(told: CallEvent, again: CallEvent, { owner }: Pair, facts: Facts): boolean {
  const tries = [facts.refreshesOfOwner.get(owner) ?? [], facts.verifications, facts.openings];
  return tries.some((events) => {
    const first = events[placeFrom(events, startOf(told))];
    return first !== undefined && startOf(first) <= startOf(again);
  });
}
