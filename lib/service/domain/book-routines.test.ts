import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Booking,
  type BookingDecision,
  type BookingState,
  decideBookings,
  findEasyBookings,
} from "./book-routines.ts";
import { nameOfKey } from "./idempotency.ts";

type Request = Booking & { name: string };

const client = { clientId: "client", userId: "owner" };
const accountIds = ["a", "b", "closed", "foreign", "funding"];

function stateOf(availableCents: Record<string, number>): BookingState {
  const account = (id: string, more: object = {}) =>
    [
      id,
      { ...client, isOpen: true, isHeldElsewhere: false, availableCents: availableCents[id] ?? 0, ...more },
    ] as const;
  return {
    accounts: new Map([
      account("a"),
      account("b"),
      account("closed", { isOpen: false }),
      account("foreign", { clientId: "another" }),
      account("funding", { userId: null }),
    ]),
    keys: { kept: new Map(), heldElsewhere: new Set() },
  };
}

function requestOf(more: Partial<Request> & { key?: string }): Request {
  const { key, ...rest } = more;
  const name = rest.name ?? "Payout";
  const meaning = { fingerprint: Buffer.from(JSON.stringify(rest)) };
  const idempotency = key ? { clientId: "client", userScope: "owner", operation: "book", key, ...meaning } : undefined;
  const routineId = `routine ${++routines}`;
  return { ...client, routineId, name, sourceId: "a", destinationId: "b", amountCents: 100, ...rest, idempotency };
}

let routines = 0;
const nameOf = (key: string) => `client owner book ${key}`;

/** The same requests one by one, each seeing a world that the one before it has changed: what a set must equal. */
function decideOneByOne(requests: Request[], state: BookingState): BookingDecision[] {
  const accounts = new Map([...state.accounts].map(([id, account]) => [id, { ...account }]));
  const kept = new Map(state.keys.kept);
  return requests.map((request) => {
    const [decision] = decideBookings([request], { accounts, keys: { ...state.keys, kept } });
    if (!decision) throw new Error("One request has one decision.");
    const source = accounts.get(request.sourceId);
    if (decision.kind === "created" && source) {
      source.availableCents -= request.amountCents;
      const { idempotency } = request;
      if (idempotency) {
        const { fingerprint } = idempotency;
        kept.set(nameOfKey(idempotency), { fingerprint, resourceId: request.routineId });
      }
    }
    return decision;
  });
}

/** Grants what is easy and covered, then decides the others, with what is left. */
function decideEasyFirst(requests: Request[], state: BookingState): BookingDecision[] {
  const accounts = new Map([...state.accounts].map(([id, account]) => [id, { ...account }]));
  const kept = new Map(state.keys.kept);
  const easy = findEasyBookings(requests).filter(({ request, wantedOfSourceCents }) => {
    const [alone] = decideBookings([request], { accounts: state.accounts, keys: state.keys });
    const source = state.accounts.get(request.sourceId);
    return alone?.kind === "created" && source && source.availableCents >= wantedOfSourceCents;
  });
  for (const { request } of easy) {
    const source = accounts.get(request.sourceId);
    if (source) source.availableCents -= request.amountCents;
    const { idempotency, routineId } = request;
    if (idempotency) kept.set(nameOfKey(idempotency), { ...idempotency, resourceId: routineId });
  }
  const served = new Set(easy.map(({ request }) => request));
  const others = requests.filter((request) => !served.has(request));
  const decisions = decideBookings(others, { accounts, keys: { ...state.keys, kept } });
  return requests.map((request) => (served.has(request) ? { kind: "created" } : decisions.shift()) ?? { kind: "busy" });
}

describe("a set of bookings", () => {
  test.each([
    ["decided at once", decideBookings],
    ["with what is easy granted before the others are decided", decideEasyFirst],
  ])("comes out as if one ran after another, whatever it holds: %s", (_, decide) => {
    const request = fc
      .record({
        sourceId: fc.constantFrom(...accountIds, "unknown"),
        destinationId: fc.constantFrom(...accountIds, "unknown"),
        amountCents: fc.integer({ min: 1, max: 300 }),
        name: fc.constantFrom("one", "two"),
        key: fc.option(fc.constantFrom("k1", "k2", "k3", "held"), { nil: undefined }),
      })
      .map(({ key, ...rest }) => requestOf({ ...rest, ...(key && { key }) }));
    const balance = fc.integer({ min: 0, max: 600 });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40 }), balance, balance, (requests, a, b) => {
        const state = {
          ...stateOf({ a, b, closed: 1000, foreign: 1000 }),
          keys: { kept: new Map(), heldElsewhere: new Set([nameOf("held")]) },
        };
        expect(decide(requests, state)).toEqual(decideOneByOne(requests, state));
      }),
    );
  });

  test("grants a smaller request after refusing a larger one", () => {
    const requests = [requestOf({ amountCents: 150 }), requestOf({ amountCents: 50 })];
    const decisions = decideBookings(requests, stateOf({ a: 100 }));
    expect(decisions.map(({ kind }) => kind)).toEqual(["insufficient_funds", "created"]);
  });

  test.each([
    [100, 100, "created"],
    [99, 100, "insufficient_funds"],
  ])("with %i cents available and %i wanted: %s", (a, amountCents, kind) => {
    expect(decideBookings([requestOf({ amountCents })], stateOf({ a }))).toMatchObject([{ kind }]);
  });

  test.each([
    ["an unknown source", { sourceId: "unknown", destinationId: "unknown" }, "source_not_found"],
    ["another client's source", { sourceId: "foreign" }, "source_not_found"],
    ["a funding account as source", { sourceId: "funding" }, "source_not_found"],
    ["an unknown destination", { sourceId: "closed", destinationId: "unknown" }, "destination_not_found"],
    ["another client's destination", { destinationId: "foreign" }, "destination_not_found"],
    ["a funding account as destination", { destinationId: "funding" }, "destination_not_found"],
    ["a closed source", { sourceId: "closed", amountCents: 5_000 }, "instrument_not_usable"],
    ["a closed destination", { destinationId: "closed", amountCents: 5_000 }, "instrument_not_usable"],
    ["too little money", { amountCents: 5_000 }, "insufficient_funds"],
  ])("refuses %s before anything that comes later in the order", (_, order, kind) => {
    expect(decideBookings([requestOf(order)], stateOf({ a: 100 }))).toEqual([{ kind }]);
  });

  test("answers a stored key before it looks at money or accounts", () => {
    const request = requestOf({ key: "k", sourceId: "closed", amountCents: 5_000 });
    const fingerprint = request.idempotency?.fingerprint ?? Buffer.alloc(0);
    const kept = new Map([[nameOf("k"), { fingerprint, resourceId: "first" }]]);
    const other = requestOf({ key: "k", amountCents: 1 });
    const state = { ...stateOf({}), keys: { kept, heldElsewhere: new Set<string>() } };
    expect(decideBookings([request, other], state)).toEqual([
      { kind: "replayed", resourceId: "first" },
      { kind: "idempotency_key_reused" },
    ]);
    const voided = { kept: new Map([[nameOf("k"), "voided" as const]]), heldElsewhere: new Set<string>() };
    expect(decideBookings([request], { ...state, keys: voided })).toEqual([{ kind: "idempotency_key_voided" }]);
  });

  test("points a repetition within the set at its first", () => {
    const [first, second] = [requestOf({ key: "k" }), requestOf({ key: "k" })];
    expect(decideBookings([first, second], stateOf({ a: 100 }))).toEqual([
      { kind: "created" },
      { kind: "replayed", resourceId: first.routineId },
    ]);
  });

  test("says of a source that is held elsewhere that it is busy, and decides the others", () => {
    const { accounts, keys } = stateOf({ a: 100, b: 100 });
    const held = new Map([...accounts].map(([id, account]) => [id, { ...account, isHeldElsewhere: id === "a" }]));
    const requests = [requestOf({}), requestOf({ sourceId: "b", destinationId: "a" })];
    expect(decideBookings(requests, { accounts: held, keys }).map(({ kind }) => kind)).toEqual(["busy", "created"]);
  });
});
