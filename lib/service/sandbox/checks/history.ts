import { limits } from "../../../contract/limits.ts";
import type {
  CallEvent,
  ControlEvent,
  CustomerEvent,
  DeliveryEvent,
  SandboxEvent,
  VisitEvent,
} from "../../../contract/sandbox-events.ts";

/** A token pair when issued. Expiry times are on the client's clock. */
export type Pair = {
  /** The user, or a name made from the access token if the user is unknown. */
  owner: string;
  accessToken: string;
  refreshToken: string;
  issuedBy: CallEvent;
  issuedMs: number;
  accessExpiresMs: number;
  refreshExpiresMs: number;
};

/** One client's record in chronological order, with the indexes that rules need. */
export type History = {
  events: readonly SandboxEvent[];
  /** By arrival. */
  calls: readonly CallEvent[];
  visits: readonly VisitEvent[];
  customers: readonly CustomerEvent[];
  deliveries: readonly DeliveryEvent[];
  controls: readonly ControlEvent[];
  /** Real time of the end of the record. */
  untilMs: number;
  pairs: readonly Pair[];
  pairOfAccessToken: ReadonlyMap<string, Pair>;
  pairOfRefreshToken: ReadonlyMap<string, Pair>;
  pairsOfOwner: ReadonlyMap<string, readonly Pair[]>;
  /** The same owner's next and previous pairs. */
  nextPair: ReadonlyMap<Pair, Pair>;
  previousPair: ReadonlyMap<Pair, Pair>;
  /** Calls by access token, and refreshes by refresh token. */
  callsOfAccessToken: ReadonlyMap<string, readonly CallEvent[]>;
  refreshesOfToken: ReadonlyMap<string, readonly CallEvent[]>;
  /** 401 answers by access token, and successful revocations by owner, except those that a later success disproves. */
  refusalsOfToken: ReadonlyMap<string, readonly CallEvent[]>;
  revocationsOfOwner: ReadonlyMap<string, readonly CallEvent[]>;
  /** Calls grouped with their retries. */
  callsOfKey: ReadonlyMap<string, readonly CallEvent[]>;
  /** The last clock reset, which ends every authorization; minus infinity if none. */
  lastClockResetMs: number;
  /** Visit openings by visit id, authorizations by code, and mints by session token. */
  openings: ReadonlyMap<string, VisitEvent>;
  authorized: ReadonlyMap<string, VisitEvent>;
  mints: ReadonlyMap<string, CallEvent>;
};

type PairsOfTokens = Pick<History, "pairOfAccessToken" | "pairOfRefreshToken">;

/** `until` is the time of the report: nothing later counts. */
export function readHistory(recorded: readonly SandboxEvent[], { until }: { until: Date }): History {
  const steps = historyInSteps(recorded, { until });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** `readHistory` in steps, so the caller can yield between them. */
export function* historyInSteps(
  recorded: readonly SandboxEvent[],
  { until }: { until: Date },
): Generator<undefined, History> {
  yield* eachInSteps(recorded, timesOf);
  const events = recorded.toSorted((left, right) => startOf(left) - startOf(right));
  yield;
  const calls = events.filter((event) => event.kind === "call");
  const visits = events.filter((event) => event.kind === "visit");
  yield;
  const customers = events.filter((event) => event.kind === "customer");
  const deliveries = events.filter((event) => event.kind === "delivery");
  const controls = events.filter((event) => event.kind === "control");
  const resets = controls.filter(({ operation }) => operation === "resetSandboxClock");
  yield;
  const pairs = pairsOf(calls, visits);
  yield;
  const pairOfAccessToken = new Map(pairs.map((pair) => [pair.accessToken, pair]));
  const pairOfRefreshToken = new Map(pairs.map((pair) => [pair.refreshToken, pair]));
  const pairsOfOwner = groupByText(pairs, ({ owner }) => owner);
  yield;
  const neighbors = neighborsOf(pairsOfOwner);
  yield;
  const callsOfAccessToken = groupByText(calls, ({ facts }) => facts.access_token);
  yield;
  const refreshesOfToken = groupByText(calls.filter(isRefresh), ({ facts }) => facts.refresh_token);
  yield;
  const refusals = calls.filter(({ status }) => status === 401);
  const refusalsOfToken = groupByText(refusals, ({ facts }) => facts.access_token);
  yield;
  const revocationsOfOwner = revocationsByOwner(calls, { pairOfAccessToken, pairOfRefreshToken });
  yield;
  const keys = new Map<CallEvent, string>();
  yield* eachInSteps(calls, (call) => keys.set(call, sameCallKey(call, pairOfAccessToken)));
  const callsOfKey = groupByText(calls, (call) => keys.get(call) ?? null);
  yield;
  const opened = visits.filter(({ step }) => step === "opened");
  const authorized = visits.filter(({ step }) => step === "authorized");
  const mints = firstBy(calls, ({ facts }) => facts.session_token);
  return {
    events,
    calls,
    visits,
    customers,
    deliveries,
    controls,
    untilMs: until.getTime(),
    pairs,
    pairOfAccessToken,
    pairOfRefreshToken,
    pairsOfOwner,
    ...neighbors,
    callsOfAccessToken,
    refreshesOfToken,
    refusalsOfToken,
    revocationsOfOwner,
    callsOfKey,
    lastClockResetMs: Math.max(...resets.slice(-1).map(startOf)),
    openings: firstBy(opened, ({ visit_id }) => visit_id),
    authorized: firstBy(authorized, ({ facts }) => facts.code),
    mints,
  };
}

// Pairs issued in the same millisecond don't follow each other.
function neighborsOf(pairsOfOwner: ReadonlyMap<string, readonly Pair[]>): Pick<History, "nextPair" | "previousPair"> {
  const nextPair = new Map<Pair, Pair>();
  const previousPair = new Map<Pair, Pair>();
  for (const pairs of pairsOfOwner.values()) {
    const groups = [...Map.groupBy(pairs, ({ issuedMs }) => issuedMs).values()];
    for (const [index, group] of groups.entries()) {
      const previous = groups[index - 1]?.at(-1);
      const next = groups[index + 1]?.[0];
      for (const pair of group) {
        if (previous) previousPair.set(pair, previous);
        if (next) nextPair.set(pair, next);
      }
    }
  }
  return { nextPair, previousPair };
}

function pairsOf(calls: readonly CallEvent[], visits: readonly VisitEvent[]): Pair[] {
  // A client discards another person's pair, and the owner continues with the previous one.
  const foreign = new Set(visits.filter(({ facts }) => facts.foreign === "person").map(({ facts }) => facts.code));
  const ownerOfRefreshToken = new Map<string, string>();
  return (
    calls
      // The client got no tokens from an answer that was never sent.
      .filter(({ status, facts }) => status !== null && facts.issued !== null && !foreign.has(facts.code))
      .toSorted((left, right) => endOf(left) - endOf(right))
      .flatMap((call) => {
        const { issued, refresh_token } = call.facts;
        if (!issued) return [];
        const owner =
          issued.user_id ?? ownerOfRefreshToken.get(refresh_token ?? "") ?? `the holder of ${issued.access_token}`;
        ownerOfRefreshToken.set(issued.refresh_token, owner);
        return [
          {
            owner,
            accessToken: issued.access_token,
            refreshToken: issued.refresh_token,
            issuedBy: call,
            issuedMs: endOf(call),
            accessExpiresMs: Date.parse(issued.access_expires_at),
            refreshExpiresMs: Date.parse(issued.refresh_expires_at),
          },
        ];
      })
  );
}

// A revocation of a dead token succeeds too; a later success with an earlier pair shows that it ended nothing.
function revocationsByOwner(calls: readonly CallEvent[], pairs: PairsOfTokens): Map<string, readonly CallEvent[]> {
  const revocationsOfOwner = new Map<string, CallEvent[]>();
  for (const call of calls) {
    const pair = isSuccess(call.status) ? sentPair(call, pairs) : undefined;
    if (!pair) continue;
    const revocations = revocationsOfOwner.get(pair.owner) ?? [];
    if (call.operation === "revokeToken") {
      revocationsOfOwner.set(pair.owner, revocations);
      revocations.push(call);
      continue;
    }
    const isDisproved = (revocation: CallEvent | undefined) =>
      revocation !== undefined &&
      startOf(revocation) >= pair.issuedMs &&
      endOf(revocation) + limits.checkOverlapMs < startOf(call);
    while (isDisproved(revocations.at(-1))) revocations.pop();
  }
  return revocationsOfOwner;
}

const itemsPerStep = 500;

function* eachInSteps<Item>(items: readonly Item[], visit: (item: Item) => void): Generator<undefined, void> {
  for (const [index, item] of items.entries()) {
    visit(item);
    if ((index + 1) % itemsPerStep === 0) yield;
  }
}

/** The first item for each key; items without a key are dropped. */
export function firstBy<Item>(items: readonly Item[], textOf: (item: Item) => string | null): Map<string, Item> {
  const firsts = new Map<string, Item>();
  for (const item of items) {
    const text = textOf(item);
    if (text !== null && !firsts.has(text)) firsts.set(text, item);
  }
  return firsts;
}

/** Groups items by key, in order; items without a key are dropped. */
export function groupByText<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string | null,
): Map<string, readonly Item[]> {
  const groups = Map.groupBy(items, textOf);
  groups.delete(null);
  return groups as Map<string, readonly Item[]>;
}

type Times = { startMs: number; endMs: number; clientMs: number };

// A hot path. Cached on the event itself, because a WeakMap of all events would lengthen each garbage collection.
const times = Symbol("times");

function timesOf(event: SandboxEvent & { [times]?: Times }): Times {
  const known = event[times];
  if (known) return known;
  const endMs = Date.parse(event.at);
  const startMs = event.kind === "call" ? Date.parse(event.started_at) : endMs - (event.duration_ms ?? 0);
  const parsed = { startMs, endMs, clientMs: Date.parse(event.client_time) };
  event[times] = parsed;
  return parsed;
}

/** Start in real time. */
export function startOf(event: SandboxEvent): number {
  return timesOf(event).startMs;
}

/** End in real time. */
export function endOf(event: SandboxEvent): number {
  return timesOf(event).endMs;
}

/** End on the client's clock. */
export function clientTimeOf(event: SandboxEvent): number {
  return timesOf(event).clientMs;
}

export function isRefresh({ operation, facts }: CallEvent): boolean {
  return operation === "issueTokens" && facts.grant_type === "refresh_token";
}

export function isExchange({ operation, facts }: CallEvent): boolean {
  return operation === "issueTokens" && facts.grant_type === "authorization_code";
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A status that only asks for a retry. */
export function isTemporary(status: number | null): boolean {
  return status === 408 || status === 425 || status === 429 || status === 503;
}

/** A refusal that a retry would repeat. */
export function isDefiniteRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 409 && !isTemporary(status);
}

// Identical for a call and its retries.
function sameCallKey({ operation, path, facts }: CallEvent, pairOfAccessToken: ReadonlyMap<string, Pair>): string {
  const owner = facts.access_token && (pairOfAccessToken.get(facts.access_token)?.owner ?? facts.access_token);
  return JSON.stringify([operation, path, facts.query, owner, facts.body, facts.idempotency_key]);
}

/** The pair of the token that a call used or revoked. */
export function sentPair(
  { facts }: CallEvent,
  { pairOfAccessToken, pairOfRefreshToken }: PairsOfTokens,
): Pair | undefined {
  const token = facts.access_token ?? facts.refresh_token ?? facts.revoked_token ?? "";
  return pairOfAccessToken.get(token) ?? pairOfRefreshToken.get(token);
}

/** The first use of either token of a pair; infinity if unused. */
export function firstUseOf(pair: Pair, { callsOfAccessToken, refreshesOfToken }: History): number {
  const uses = [callsOfAccessToken.get(pair.accessToken)?.[0], refreshesOfToken.get(pair.refreshToken)?.[0]];
  return Math.min(...uses.map((use) => (use ? startOf(use) : Number.POSITIVE_INFINITY)));
}

export function refusalsOf({ accessToken }: Pair, { refusalsOfToken }: History): readonly CallEvent[] {
  return refusalsOfToken.get(accessToken) ?? [];
}
