import type {
  CallEvent,
  ControlEvent,
  CustomerEvent,
  DeliveryEvent,
  SandboxEvent,
  VisitEvent,
} from "../../../contract/sandbox-events.ts";

/** A token pair as its issue was seen. Times are in milliseconds; those of expiry are by the client's clock. */
export type Pair = {
  /** Whose it is: a user, or its own access token where the user is not known. */
  owner: string;
  accessToken: string;
  refreshToken: string;
  issuedBy: CallEvent;
  issuedMs: number;
  accessExpiresMs: number;
  refreshExpiresMs: number;
};

/** What was recorded of one client, in the order in which it happened, and looked up in the ways that rules ask. */
export type History = {
  events: readonly SandboxEvent[];
  /** In the order of their arrival. */
  calls: readonly CallEvent[];
  visits: readonly VisitEvent[];
  customers: readonly CustomerEvent[];
  deliveries: readonly DeliveryEvent[];
  controls: readonly ControlEvent[];
  /** Real time up to which the record reaches. */
  untilMs: number;
  /** In the order of their issue. */
  pairs: readonly Pair[];
  pairOfAccessToken: ReadonlyMap<string, Pair>;
  pairOfRefreshToken: ReadonlyMap<string, Pair>;
  pairsOfOwner: ReadonlyMap<string, readonly Pair[]>;
  /** Of a pair, its owner's first that was issued later, and the last that was issued earlier. */
  nextPair: ReadonlyMap<Pair, Pair>;
  previousPair: ReadonlyMap<Pair, Pair>;
  /** Calls by the access token that they bore, and refreshes by the refresh token that they presented. */
  callsOfAccessToken: ReadonlyMap<string, readonly CallEvent[]>;
  refreshesOfToken: ReadonlyMap<string, readonly CallEvent[]>;
  /** The answers that said that an access token is dead, and the revocations of an owner's authorizations that were done. */
  refusalsOfToken: ReadonlyMap<string, readonly CallEvent[]>;
  revocationsOfOwner: ReadonlyMap<string, readonly CallEvent[]>;
  /** Calls that ask for the same: a call and its retries. */
  callsOfKey: ReadonlyMap<string, readonly CallEvent[]>;
  /** When the clock was last reset, which ends every authorization; never is minus infinity. */
  lastClockResetMs: number;
  /** How each visit was opened, by its id; the step that gave a code, by it; the call that minted a session token, by it. */
  openings: ReadonlyMap<string, VisitEvent>;
  authorized: ReadonlyMap<string, VisitEvent>;
  mints: ReadonlyMap<string, CallEvent>;
};

/** Puts what was recorded in order. `until` is the time of asking: what has not happened by then has not happened yet. */
export function readHistory(recorded: readonly SandboxEvent[], { until }: { until: Date }): History {
  const steps = historyInSteps(recorded, { until });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in steps, so that the caller can do something else between them. */
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
  const pairs = pairsOf(calls);
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
  const ownerOfRevoked = ({ operation, status, facts: { revoked_token } }: CallEvent) =>
    operation === "revokeToken" && isSuccess(status) && revoked_token !== null
      ? ((pairOfAccessToken.get(revoked_token) ?? pairOfRefreshToken.get(revoked_token))?.owner ?? null)
      : null;
  const revocationsOfOwner = groupByText(calls, ownerOfRevoked);
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

// Pairs that were issued in the same millisecond are neither later nor earlier than each other.
function neighborsOf(pairsOfOwner: ReadonlyMap<string, readonly Pair[]>): Pick<History, "nextPair" | "previousPair"> {
  const nextPair = new Map<Pair, Pair>();
  const previousPair = new Map<Pair, Pair>();
  for (const pairs of pairsOfOwner.values()) {
    const groups = [...groupBy(pairs, ({ issuedMs }) => issuedMs).values()];
    for (const [place, group] of groups.entries()) {
      const previous = groups[place - 1]?.at(-1);
      const next = groups[place + 1]?.[0];
      for (const pair of group) {
        if (previous) previousPair.set(pair, previous);
        if (next) nextPair.set(pair, next);
      }
    }
  }
  return { nextPair, previousPair };
}

function pairsOf(calls: readonly CallEvent[]): Pair[] {
  const ownerOfRefreshToken = new Map<string, string>();
  return (
    calls
      // Of an answer that was never sent the client has nothing.
      .filter(({ status, facts }) => status !== null && facts.issued !== null)
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

const itemsPerStep = 500;

function* eachInSteps<Item>(items: readonly Item[], visit: (item: Item) => void): Generator<undefined, void> {
  for (const [place, item] of items.entries()) {
    visit(item);
    if ((place + 1) % itemsPerStep === 0) yield;
  }
}

/** The first thing with each text, by the text. */
export function firstBy<Item>(items: readonly Item[], textOf: (item: Item) => string | null): Map<string, Item> {
  const firsts = new Map<string, Item>();
  for (const item of items) {
    const text = textOf(item);
    if (text !== null && !firsts.has(text)) firsts.set(text, item);
  }
  return firsts;
}

/** Groups what has such a text, in its order. */
export function groupByText<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string | null,
): Map<string, readonly Item[]> {
  const groups = groupBy(items, textOf);
  groups.delete(null);
  return groups as Map<string, readonly Item[]>;
}

/** Groups things by a key, in their order. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

type Times = { startMs: number; endMs: number; clientMs: number };

// Rules ask thousands of times. Kept on the event itself, because a WeakMap of all events would lengthen each garbage collection.
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

/** When it began, in real time. */
export function startOf(event: SandboxEvent): number {
  return timesOf(event).startMs;
}

/** When it was over, in real time. */
export function endOf(event: SandboxEvent): number {
  return timesOf(event).endMs;
}

/** When it was over by the client's clock. */
export function clientTimeOf(event: SandboxEvent): number {
  return timesOf(event).clientMs;
}

/** Whether the call exchanges a refresh token. */
export function isRefresh({ operation, facts }: CallEvent): boolean {
  return operation === "issueTokens" && facts.grant_type === "refresh_token";
}

/** Whether the call exchanges an authorization code, or tries to. */
export function isExchange({ operation, facts }: CallEvent): boolean {
  return operation === "issueTokens" && facts.grant_type === "authorization_code";
}

/** Whether it was done. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Whether a status says no more than that it should be tried again. */
export function isTemporary(status: number | null): boolean {
  return status === 408 || status === 425 || status === 429 || status === 503;
}

/** Whether a status decides: the request was refused, and would be again. */
export function isDefiniteRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 409 && !isTemporary(status);
}

// What tells a call from others that ask for something else: a retry of it has the same.
function sameCallKey({ operation, path, facts }: CallEvent, pairOfAccessToken: ReadonlyMap<string, Pair>): string {
  const owner = facts.access_token && (pairOfAccessToken.get(facts.access_token)?.owner ?? facts.access_token);
  return JSON.stringify([operation, path, owner, facts.body, facts.idempotency_key]);
}

/** When the client first showed that it had a pair, by using one of its tokens; never is infinite. */
export function firstUseOf(pair: Pair, { callsOfAccessToken, refreshesOfToken }: History): number {
  const uses = [callsOfAccessToken.get(pair.accessToken)?.[0], refreshesOfToken.get(pair.refreshToken)?.[0]];
  return Math.min(...uses.map((use) => (use ? startOf(use) : Number.POSITIVE_INFINITY)));
}

/** The answers that told the client that this access token is dead. */
export function refusalsOf({ accessToken }: Pair, { refusalsOfToken }: History): readonly CallEvent[] {
  return refusalsOfToken.get(accessToken) ?? [];
}
