import { limits } from "../../../../contract/limits.ts";
import type {
  CallEvent,
  ControlEvent,
  CustomerEvent,
  DeliveryEvent,
  SandboxEvent,
  VisitEvent,
} from "../../../../contract/sandbox-events.ts";

/** Scenarios by expected verdict. `nearMisses` only look like violations. */
export type Examples = {
  kept: Record<string, Scenario>;
  broken: Record<string, Scenario>;
  notSeen: Record<string, Scenario>;
  nearMisses: Record<string, Scenario>;
};

export type Scenario = (record: Recorder) => void;

export type RecordedPair = { user: string; access: string; refresh: string };

export type CallOptions = {
  /** Null for no answer. */
  status?: number | null;
  reason?: string | null;
  /** Milliseconds. */
  took?: number;
  /** Runs concurrently with the next step. */
  isAside?: boolean;
  path?: string;
  joins?: string[];
};

/** Builds a client's record for rule examples. Each step takes a moment; only steps and `wait` advance time. */
export class Recorder {
  readonly events: SandboxEvent[] = [];
  #nowMs = Date.parse("2026-01-05T12:00:00.000Z");
  #aheadMs = 0;
  #names = 0;
  // By code.
  readonly #challenges = new Map<string, string | null>();

  get now(): Date {
    return new Date(this.#nowMs);
  }

  /** A unique name. */
  name(kind: string): string {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }

  wait(ms: number): void {
    this.#nowMs += ms;
  }

  jump(seconds: number): void {
    this.#aheadMs += seconds * 1000;
    this.control("advanceSandboxClock");
  }

  control(operation: string): ControlEvent {
    const event = { ...this.#common(1), operation, method: "POST", path: `/sandbox/${operation}`, status: 200 };
    return this.#add({ ...event, kind: "control" });
  }

  call(operation: string, facts: Partial<CallEvent["facts"]> = {}, options: CallOptions = {}): CallEvent {
    const { status = 200, reason = null, took = 20, isAside = false, path = `/v1/${operation}`, joins = [] } = options;
    const started_at = this.now.toISOString();
    const common = this.#common(took, isAside);
    return this.#add({
      ...common,
      joins,
      kind: "call",
      request_id: common.id,
      operation,
      method: /^(get|list|read)/.test(operation) ? "GET" : "POST",
      path_template: path,
      path,
      status,
      reason,
      started_at,
      facts: { ...noFacts, ...facts },
    });
  }

  visit(step: VisitEvent["step"], facts: Partial<VisitEvent["facts"]> = {}, visitId: string | null = null): VisitEvent {
    return this.#add({
      ...this.#common(5),
      kind: "visit",
      visit_id: visitId,
      step,
      facts: {
        state: null,
        state_length: 0,
        code_challenge: null,
        code_challenge_method: null,
        session_token: null,
        redirect_uri: null,
        user_intent_id: null,
        user_id: null,
        code: null,
        has_credential_in_url: false,
        error: null,
        cause: null,
        ...facts,
      },
    });
  }

  mint(facts: Partial<CallEvent["facts"]> = {}, { joins = [] }: { joins?: string[] } = {}): string {
    const sessionToken = this.name("session");
    this.call(
      "verifyPartnerIdentity",
      { authorization: "basic", session_token: sessionToken, named_people: ["user_id"], ...facts },
      { joins },
    );
    return sessionToken;
  }

  /** Opens a visit with a valid state and challenge. */
  open(facts: Partial<VisitEvent["facts"]> = {}): { visit: VisitEvent; visitId: string } {
    const visitId = this.name("visit");
    const visit = this.visit(
      "opened",
      {
        state: this.name("state"),
        state_length: 43,
        code_challenge: this.name("challenge"),
        code_challenge_method: "S256",
        session_token: this.name("session"),
        redirect_uri: "https://app.example/callback",
        ...facts,
      },
      visitId,
    );
    return { visit, visitId };
  }

  /** Opens a visit and authorizes; returns the code. */
  authorize(facts: Partial<VisitEvent["facts"]> = {}): string {
    const { visit, visitId } = this.open({ session_token: this.mint(), ...facts });
    const code = this.name("code");
    this.visit("authorized", { ...visit.facts, code }, visitId);
    this.#challenges.set(code, visit.facts.code_challenge);
    return code;
  }

  exchange(
    code: string | null,
    { user = "ada", facts = {}, ...options }: { user?: string; facts?: Partial<CallEvent["facts"]> } & CallOptions = {},
  ): RecordedPair {
    const given = {
      code,
      redirect_uri: "https://app.example/callback",
      code_challenge: this.#challenges.get(code ?? "") ?? null,
      ...facts,
    };
    return this.#issue(user, { grant_type: "authorization_code", ...given }, options);
  }

  /** Authorizes and exchanges the code. */
  connect(user = "ada"): RecordedPair {
    return this.exchange(this.authorize({ user_id: user }), { user });
  }

  refresh(
    pair: RecordedPair,
    { facts = {}, ...options }: { facts?: Partial<CallEvent["facts"]> } & CallOptions = {},
  ): RecordedPair {
    return this.#issue(pair.user, { grant_type: "refresh_token", refresh_token: pair.refresh, ...facts }, options);
  }

  read(
    pair: RecordedPair,
    options: CallOptions & { operation?: string; resource?: string; query?: string } = {},
  ): CallEvent {
    const { operation = "listAccounts", resource = null, query } = options;
    return this.call(
      operation,
      { authorization: "bearer", access_token: pair.access, resource_id: resource, ...(query && { query }) },
      { reason: options.status === 401 ? "token_expired" : null, ...options },
    );
  }

  pay(pair: RecordedPair, facts: Partial<CallEvent["facts"]> = {}, options: CallOptions = {}): CallEvent {
    return this.call(
      "createBookRoutine",
      {
        authorization: "bearer",
        access_token: pair.access,
        idempotency_key: this.name("key"),
        body: this.name("body"),
        resource_id: this.name("routine"),
        ...facts,
      },
      { status: 201, path: "/v1/routines/book", ...options },
    );
  }

  deliver(
    more: Partial<Omit<DeliveryEvent, "facts">> & { facts?: Partial<DeliveryEvent["facts"]> } = {},
  ): DeliveryEvent {
    const { facts, ...rest } = more;
    return this.#add({
      ...this.#common(rest.duration_ms ?? 20),
      kind: "delivery",
      webhook_id: rest.webhook_id ?? this.name("webhook"),
      webhook_type: "routine_updated",
      resource_id: "routine-x",
      user_id: "ada",
      status: 200,
      facts: {
        attempt: 1,
        fault: null,
        signatures: 1,
        signed_with: "current",
        error: null,
        answer: null,
        ...facts,
      },
      ...rest,
    });
  }

  customer(
    more: Partial<Omit<CustomerEvent, "facts">> & { facts?: Partial<CustomerEvent["facts"]> } = {},
  ): CustomerEvent {
    const { facts, ...rest } = more;
    return this.#add({
      ...this.#common(rest.duration_ms ?? 20),
      kind: "customer",
      status: 200,
      facts: {
        customer_id: "customer-ada",
        probe: null,
        problems: [],
        has_milliseconds: true,
        is_utc: true,
        seconds_ahead: -60,
        ...facts,
      },
      ...rest,
    });
  }

  #issue(user: string, facts: Partial<CallEvent["facts"]>, options: CallOptions): RecordedPair {
    const pair = { user, access: this.name("access"), refresh: this.name("refresh") };
    const isIssued = (options.status ?? 200) === 200;
    const clientMs = this.#nowMs + this.#aheadMs;
    this.call(
      "issueTokens",
      {
        authorization: "basic",
        body: this.name("body"),
        issued: isIssued
          ? {
              access_token: pair.access,
              refresh_token: pair.refresh,
              access_expires_at: new Date(clientMs + limits.accessTokenSeconds * 1000).toISOString(),
              refresh_expires_at: new Date(clientMs + limits.refreshTokenSeconds * 1000).toISOString(),
              user_id: user,
            }
          : null,
        ...facts,
      },
      { reason: isIssued ? null : "invalid_grant", ...options },
    );
    return pair;
  }

  #common(took: number, isAside = false) {
    const endMs = this.#nowMs + took;
    if (!isAside) this.#nowMs = endMs;
    return {
      id: String(this.events.length + 1),
      at: new Date(endMs).toISOString(),
      client_time: new Date(endMs + this.#aheadMs).toISOString(),
      duration_ms: took,
      trace_id: null,
      joins: [] as string[],
      request: null,
      response: null,
    };
  }

  #add<Event extends SandboxEvent>(event: Event): Event {
    this.events.push(event);
    return event;
  }
}

const noFacts: CallEvent["facts"] = {
  authorization: "none",
  access_token: null,
  idempotency_key: null,
  body: null,
  has_credential_in_url: false,
  is_faulted: false,
  retry_after_seconds: null,
  grant_type: null,
  code: null,
  code_challenge: null,
  redirect_uri: null,
  refresh_token: null,
  revoked_token: null,
  issued: null,
  session_token: null,
  named_people: [],
  metadata_keys: [],
  metadata_fingerprints: [],
  has_sensitive_metadata: false,
  customer_id: null,
  resource_id: null,
};
