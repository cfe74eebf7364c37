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
  /** Calls by the access token that they bore, and refreshes by the refresh token that they presented. */
  callsOfAccessToken: ReadonlyMap<string, readonly CallEvent[]>;
  refreshesOfToken: ReadonlyMap<string, readonly CallEvent[]>;
  /** How each visit was opened, by its id; the step that gave a code, by it; the call that minted a session token, by it. */
  openings: ReadonlyMap<string, VisitEvent>;
  authorized: ReadonlyMap<string, VisitEvent>;
  mints: ReadonlyMap<string, CallEvent>;
};

/** Puts what was recorded in order. `until` is the time of asking: what has not happened by then has not happened yet. */
export function readHistory(recorded: readonly SandboxEvent[], { until }: { until: Date }): History {
  const events = recorded.toSorted((left, right) => startOf(left) - startOf(right));
  const calls = events.filter((event) => event.kind === "call");
  const visits = events.filter((event) => event.kind === "visit");
  const pairs = pairsOf(calls);
  return {
    events,
    calls,
    visits,
    customers: events.filter((event) => event.kind === "customer"),
    deliveries: events.filter((event) => event.kind === "delivery"),
    controls: events.filter((event) => event.kind === "control"),
    untilMs: until.getTime(),
    pairs,
    pairOfAccessToken: new Map(pairs.map((pair) => [pair.accessToken, pair])),
    pairOfRefreshToken: new Map(pairs.map((pair) => [pair.refreshToken, pair])),
    pairsOfOwner: Map.groupBy(pairs, ({ owner }) => owner),
    callsOfAccessToken: groupByText(calls, ({ facts }) => facts.access_token),
    refreshesOfToken: groupByText(calls.filter(isRefresh), ({ facts }) => facts.refresh_token),
    openings: firstBy(
      visits.filter(({ step }) => step === "opened"),
      ({ visit_id }) => visit_id,
    ),
    authorized: firstBy(
      visits.filter(({ step }) => step === "authorized"),
      ({ facts }) => facts.code,
    ),
    mints: firstBy(calls, ({ facts }) => facts.session_token),
  };
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

function firstBy<Item>(items: readonly Item[], textOf: (item: Item) => string | null): Map<string, Item> {
  return new Map([...groupByText(items, textOf)].flatMap(([text, [first]]) => (first ? [[text, first]] : [])));
}

/** Groups what has such a text, in its order. */
export function groupByText<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string | null,
): Map<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const text = textOf(item);
    if (text === null) continue;
    const group = groups.get(text);
    if (group) group.push(item);
    else groups.set(text, [item]);
  }
  return groups;
}

// Rules ask thousands of times when the same event began.
const starts = new WeakMap<SandboxEvent, number>();

/** When it began, in real time. */
export function startOf(event: SandboxEvent): number {
  let start = starts.get(event);
  if (start === undefined) {
    start = event.kind === "call" ? Date.parse(event.started_at) : endOf(event) - (event.duration_ms ?? 0);
    starts.set(event, start);
  }
  return start;
}

/** When it was over, in real time. */
export function endOf(event: SandboxEvent): number {
  return Date.parse(event.at);
}

/** When it was over by the client's clock. */
export function clientTimeOf(event: SandboxEvent): number {
  return Date.parse(event.client_time);
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

/** What tells a call from others that ask for something else: a retry of it has the same. */
export function sameCallKey({ operation, path, facts }: CallEvent, { pairOfAccessToken }: History): string {
  const owner = facts.access_token && (pairOfAccessToken.get(facts.access_token)?.owner ?? facts.access_token);
  return JSON.stringify([operation, path, owner, facts.body, facts.idempotency_key]);
}

/** When the client first showed that it had a pair, by using one of its tokens; never is infinite. */
export function firstUseOf(pair: Pair, { callsOfAccessToken, refreshesOfToken }: History): number {
  const uses = [callsOfAccessToken.get(pair.accessToken)?.[0], refreshesOfToken.get(pair.refreshToken)?.[0]];
  return Math.min(...uses.map((use) => (use ? startOf(use) : Number.POSITIVE_INFINITY)));
}

/** The answers that told the client that this access token is dead. */
export function refusalsOf({ accessToken }: Pair, { callsOfAccessToken }: History): CallEvent[] {
  return (callsOfAccessToken.get(accessToken) ?? []).filter(({ status }) => status === 401);
}

/** The revocations of an owner's authorizations that the client asked for and got. */
export function revocationsOf(owner: string, { calls, pairOfAccessToken, pairOfRefreshToken }: History): CallEvent[] {
  return calls.filter(({ operation, status, facts }) => {
    if (operation !== "revokeToken" || !isSuccess(status) || facts.revoked_token === null) return false;
    const pair = pairOfAccessToken.get(facts.revoked_token) ?? pairOfRefreshToken.get(facts.revoked_token);
    return pair?.owner === owner;
  });
}
