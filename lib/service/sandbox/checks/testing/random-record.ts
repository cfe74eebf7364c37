import { type RecordedPair, Recorder } from "./example-events.ts";

/**
 * A random mix of correct and faulty behavior with few people, so that scenarios overlap: about `events` events, the same for
 * the same `seed`. `pauseMs` is the longest pause between two steps.
 */
export function randomRecord({
  seed,
  events,
  people = 3,
  pauseMs = 4000,
}: {
  seed: number;
  events: number;
  people?: number;
  pauseMs?: number;
}): Recorder {
  const record = new Recorder();
  const random = randomNumbers(seed);
  const upTo = (max: number) => Math.floor(random() * max);
  const pick = <Item>(items: readonly Item[], otherwise: Item): Item =>
    items.length === 0 ? otherwise : (items[upTo(items.length)] as Item);
  const isOneIn = (times: number) => upTo(times) === 0;
  const oneOf = (kind: string) => `${kind}-${upTo(people)}`;
  const pairs: RecordedPair[] = [record.connect(oneOf("user"))];
  const codes: string[] = [];
  const visits: string[] = ["visit-0"];
  const aPair = () =>
    pick(isOneIn(2) ? pairs.slice(-2) : pairs, { user: "unknown", access: "unknown", refresh: "unknown" });
  const status = () => pick([200, 200, 200, 401, 404, 409, 429, 500, 503, null], 200);
  const options = () => ({ took: upTo(1500), isAside: isOneIn(4), status: status() });
  const waits = () => ({ retry_after_seconds: isOneIn(2) ? upTo(5) : null, is_faulted: isOneIn(3) });
  const ofMoney = () => [`routine:${oneOf("routine")}`, `transfer:${oneOf("transfer")}`].slice(upTo(3));
  const resource = () => oneOf(pick(["routine", "transfer"], "routine"));

  const steps: (() => void)[] = [
    () => pairs.push(record.connect(oneOf("user"))),
    () =>
      codes.push(
        record.authorize({
          user_id: oneOf("user"),
          state: oneOf("state"),
          ...(isOneIn(8) && { foreign: pick(["state", "issuer", "person"] as const, "state") }),
        }),
      ),
    () => pairs.push(record.exchange(pick([...codes.slice(-3), null], null), { user: oneOf("user"), ...options() })),
    () => pairs.push(record.refresh(aPair(), { ...options(), facts: waits() })),
    () => pairs.push(record.refresh(aPair())),
    () => record.refresh(aPair(), { status: 400, isAside: isOneIn(3) }),
    () => record.read(aPair(), { ...options(), operation: pick(["listAccounts", "readUser", "listRoutines"], "") }),
    () => record.read(aPair(), { status: 401, isAside: isOneIn(3) }),
    () => record.call("getRoutine", { resource_id: resource(), ...waits() }, { ...options(), joins: ofMoney() }),
    () =>
      record.pay(
        aPair(),
        { idempotency_key: oneOf("key"), body: oneOf("body"), resource_id: resource(), cut: "after", ...waits() },
        options(),
      ),
    () => record.call("revokeToken", { revoked_token: pick([aPair().access, aPair().refresh], "") }, options()),
    () => record.open({ user_id: oneOf("user"), session_token: oneOf("session") }),
    () => visits.push(record.open({ user_id: oneOf("user") }).visitId),
    () => record.visit("opened", { user_id: oneOf("user"), state: oneOf("state") }, pick(visits, "visit-0")),
    () => record.visit("cancelled", { user_id: oneOf("user"), error: "access_denied" }, pick(visits, "visit-0")),
    () => record.mint({ session_token: oneOf("session"), customer_id: oneOf("customer") }),
    () =>
      record.deliver({
        webhook_id: oneOf("webhook"),
        webhook_type: pick(["routine_updated", "user_updated"], ""),
        resource_id: resource(),
        user_id: oneOf("user"),
        joins: ofMoney(),
        status: status(),
        duration_ms: upTo(2000),
        facts: {
          attempt: 1 + upTo(3),
          fault: pick(
            [null, null, null, "drop", "delay", "duplicate", "reorder", "withhold", "tamper", "stale"] as const,
            null,
          ),
          signed_with: pick(["current", "current", "both", "old_only"] as const, "current"),
        },
      }),
    () => record.deliver({ status: status(), user_id: oneOf("user"), resource_id: resource() }),
    () => record.customer({ status: status(), duration_ms: upTo(2000) }),
    () => record.control("setSandboxFault"),
  ];
  const rare: (() => void)[] = [
    () => record.jump(3600 + upTo(86_400)),
    () => record.jump(upTo(12 * 86_400)),
    () => record.control("resetSandboxClock"),
    () => record.wait(upTo(12 * 86_400_000)),
  ];
  while (record.events.length < events) {
    record.wait(upTo(pauseMs));
    pick(isOneIn(150) ? rare : steps, () => {})();
  }
  return record;
}

// Mulberry32.
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
