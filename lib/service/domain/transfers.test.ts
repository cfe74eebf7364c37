import { describe, expect, test } from "vitest";
import { type Booking, type BookingState, endByHand, endOfDueTransfer, judgeBooking, withTotals } from "./transfers.ts";

type Request = Booking & { name: string };

const client = { clientId: "client", userId: "owner" };

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
    keys: { stored: new Map(), heldElsewhere: new Set() },
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

describe("a single booking", () => {
  test.each([
    [100, 100, undefined],
    [99, 100, { kind: "insufficient_funds" }],
  ])("with %i cents available and %i requested: %o", (a, amountCents, verdict) => {
    expect(judgeBooking(requestOf({ amountCents }), stateOf({ a }))).toEqual(verdict);
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
  ])("refuses %s before any later check", (_, order, kind) => {
    expect(judgeBooking(requestOf(order), stateOf({ a: 100 }))).toEqual({ kind });
  });

  test("replays a stored key before checking money or accounts", () => {
    const request = requestOf({ key: "k", sourceId: "closed", amountCents: 5_000 });
    const fingerprint = request.idempotency?.fingerprint ?? Buffer.alloc(0);
    const stored = new Map([[nameOf("k"), { fingerprint, resourceId: "first" }]]);
    const repeated = requestOf({ key: "k", amountCents: 1 });
    const state = { ...stateOf({}), keys: { stored, heldElsewhere: new Set<string>() } };
    expect(judgeBooking(request, state)).toEqual({ kind: "replayed", resourceId: "first" });
    expect(judgeBooking(repeated, state)).toEqual({ kind: "idempotency_key_reused" });
    const voided = { stored: new Map([[nameOf("k"), "voided" as const]]), heldElsewhere: new Set<string>() };
    expect(judgeBooking(request, { ...state, keys: voided })).toEqual({ kind: "idempotency_key_voided" });
  });
});

describe("the bookings of a set", () => {
  test("each carry the set's total for their source", () => {
    const requests = [
      requestOf({ amountCents: 60 }),
      requestOf({ amountCents: 50 }),
      requestOf({ sourceId: "b", amountCents: 7 }),
    ];
    expect(withTotals(requests).map(({ totalRequestedCents }) => totalRequestedCents)).toEqual([110, 110, 7]);
  });

  test("skip a repeated key, whose amount still counts", () => {
    const [first, second] = [requestOf({ key: "k" }), requestOf({ key: "k" })];
    expect(withTotals([first, second])).toEqual([{ request: first, totalRequestedCents: 200 }]);
  });
});

const processed = { status: "processed", failureReason: null };
const accountClosed = { status: "failed", failureReason: "account_closed" };

describe("a transfer", () => {
  test.each([
    ["processed", true, processed],
    ["processed", false, accountClosed],
    ["account_closed", true, accountClosed],
    ["account_closed", false, accountClosed],
    ["by_hand", true, processed],
    ["by_hand", false, accountClosed],
  ] as const)("with outcome %s, once due, destination open: %s", (outcome, isDestinationOpen, end) => {
    expect(endOfDueTransfer(outcome, { isDestinationOpen })).toEqual(end);
  });

  test("decided manually ends as requested, but is never processed to a closed account", () => {
    const cancelled = { status: "cancelled", failureReason: null } as const;
    expect(endByHand(cancelled, { isDestinationOpen: false })).toEqual(cancelled);
    expect(endByHand({ status: "processed", failureReason: null }, { isDestinationOpen: true })).toEqual(processed);
    expect(endByHand({ status: "processed", failureReason: null }, { isDestinationOpen: false })).toEqual(
      accountClosed,
    );
  });
});
