import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Booking, type BookingDecision, type BookingState, decideBookings } from "./book-routines.ts";

type Request = Booking & { name: string };

const client = { clientId: "client", userId: "owner" };
const accountIds = ["a", "b", "closed", "foreign", "funding"];

function stateOf(availableCents: Record<string, number>): BookingState {
  const account = (id: string, more: object = {}) =>
    [id, { ...client, isOpen: true, availableCents: availableCents[id] ?? 0, ...more }] as const;
  return {
    accounts: new Map([
      account("a"),
      account("b"),
      account("closed", { isOpen: false }),
      account("foreign", { clientId: "another" }),
      account("funding", { userId: null }),
    ]),
    answers: new Map(),
    keysHeldElsewhere: new Set(),
  };
}

function requestOf(more: Partial<Request> & { key?: string }): Request {
  const { key, ...rest } = more;
  const name = rest.name ?? "Payout";
  const idempotency = key ? { keyScope: key, fingerprint: Buffer.from(JSON.stringify(rest)) } : undefined;
  return { ...client, name, sourceId: "a", destinationId: "b", amountCents: 100, ...rest, idempotency };
}

const writeBody = ({ name, amountCents }: Request) => `${name} ${amountCents}`;

/** The same requests one by one, each seeing a world that the one before it has changed: what a set must equal. */
function decideOneByOne(requests: Request[], state: BookingState): BookingDecision[] {
  const accounts = new Map([...state.accounts].map(([id, account]) => [id, { ...account }]));
  const answers = new Map(state.answers);
  return requests.map((request) => {
    const [decision] = decideBookings([request], { ...state, accounts, answers }, writeBody);
    if (!decision) throw new Error("One request has one decision.");
    const source = accounts.get(request.sourceId);
    if (decision.kind === "created" && source) {
      source.availableCents -= request.amountCents;
      const { idempotency } = request;
      if (idempotency) {
        answers.set(idempotency.keyScope, { fingerprint: idempotency.fingerprint, status: 201, body: decision.body });
      }
    }
    return decision;
  });
}

describe("a set of bookings", () => {
  test("comes out as if one ran after another, whatever it holds", () => {
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
        const state = { ...stateOf({ a, b, closed: 1000, foreign: 1000 }), keysHeldElsewhere: new Set(["held"]) };
        expect(decideBookings(requests, state, writeBody)).toEqual(decideOneByOne(requests, state));
      }),
    );
  });

  test("grants a smaller request after refusing a larger one", () => {
    const requests = [requestOf({ amountCents: 150 }), requestOf({ amountCents: 50 })];
    const decisions = decideBookings(requests, stateOf({ a: 100 }), writeBody);
    expect(decisions.map(({ kind }) => kind)).toEqual(["insufficient_funds", "created"]);
  });

  test.each([
    [100, 100, "created"],
    [99, 100, "insufficient_funds"],
  ])("with %i cents available and %i wanted: %s", (a, amountCents, kind) => {
    expect(decideBookings([requestOf({ amountCents })], stateOf({ a }), writeBody)).toMatchObject([{ kind }]);
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
    expect(decideBookings([requestOf(order)], stateOf({ a: 100 }), writeBody)).toEqual([{ kind }]);
  });

  test("answers a stored key before it looks at money or accounts", () => {
    const request = requestOf({ key: "k", sourceId: "closed", amountCents: 5_000 });
    const fingerprint = request.idempotency?.fingerprint ?? Buffer.alloc(0);
    const answers = new Map([["k", { fingerprint, status: 201, body: "first" }]]);
    const other = requestOf({ key: "k", amountCents: 1 });
    expect(decideBookings([request, other], { ...stateOf({}), answers }, writeBody)).toEqual([
      { kind: "replayed", status: 201, body: "first" },
      { kind: "idempotency_key_reused" },
    ]);
  });
});
