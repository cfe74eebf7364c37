import type { RoutineRecord } from "../../contract/money.ts";
import { newId } from "../../kit/ids.ts";
import { type FakeAnswer, type FakeRequest, type FakeService, refused } from "./fake-service.ts";
import { routineRecordOf, transferRecordOf } from "./records.ts";

/** The result of one payment request: `pay` makes the payment, or returns the one its key made before. */
type Outcome = (pay: () => RoutineRecord) => FakeAnswer | "cut" | Promise<FakeAnswer | "cut">;

/** The payments of a fake service with idempotency keys, counted at the service. */
export type FakePayments = {
  created: RoutineRecord[];
  /** The created routine at this index; throws if there is none. */
  get: (index?: number) => RoutineRecord;
  /** The outcomes of the next payment requests, in order; later ones get 201. */
  next: (...outcomes: Outcome[]) => void;
  /** The outcome of every payment request from now on; undefined: 201. */
  always: (outcome: Outcome | undefined) => void;
  /** The default response to a request that voids a key. */
  voidKey: (request: FakeRequest) => FakeAnswer;
  /** Ends the transfer of a payment. */
  settle: (routine: RoutineRecord, statuses?: [routine: string, transfer: string]) => void;
  /** Forgets a payment and its key, like a service restored from a backup. */
  forget: (routine: RoutineRecord) => void;
};

/** `isKeyHonored`: a repeat with the same key returns the first payment. `newId` makes the ids. */
type Keys = { header: string; isKeyHonored: boolean; newId: () => string };

/** Lets a fake service accept, list and return payments. */
export function takePayments(
  service: FakeService,
  keys: Keys = { header: "idempotency-key", isKeyHonored: true, newId },
): FakePayments {
  const created: RoutineRecord[] = [];
  const byKey = new Map<unknown, RoutineRecord>();
  const voided = new Set<unknown>();
  const outcomes: Outcome[] = [];
  let defaultOutcome: Outcome | undefined;

  function show(routine: RoutineRecord, transferStatus: string): void {
    const { id, transfer_id, updated_at } = routine;
    service.answer(`GET /v1/routines/${id}`, () => ({ status: 200, body: routine }));
    const transfer = transferRecordOf({ id: transfer_id, routine_id: id, status: transferStatus, updated_at });
    service.answer(`GET /v1/transfers/${transfer_id}`, () => ({ status: 200, body: transfer }));
  }

  function pay({ headers, body }: FakeRequest): RoutineRecord {
    const key = headers[keys.header];
    const known = byKey.get(key);
    if (known && keys.isKeyHonored) return known;
    if (voided.has(key)) throw new Error("This key was voided.");
    const now = new Date().toISOString();
    const routine = routineRecordOf({
      ...body,
      id: keys.newId(),
      transfer_id: keys.newId(),
      created_at: now,
      updated_at: now,
    });
    if (key !== undefined) byKey.set(key, routine);
    created.push(routine);
    show(routine, "pending");
    return routine;
  }

  function voidKey({ headers }: FakeRequest): FakeAnswer {
    if (!keys.isKeyHonored) return refused(404, "not_found");
    const key = headers[keys.header];
    const routine = byKey.get(key) ?? null;
    if (!routine) voided.add(key);
    return { status: 200, body: { voided: routine === null, routine } };
  }

  service.answer("POST /v1/routines/book/void", voidKey);
  service.answer("POST /v1/routines/book", (request) => {
    if (voided.has(request.headers[keys.header])) return refused(422, "idempotency_key_voided");
    const outcome = outcomes.shift() ?? defaultOutcome;
    return outcome ? outcome(() => pay(request)) : { status: 201, body: pay(request) };
  });
  service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: created.toReversed(), next: null } }));
  return {
    created,
    get: (index = 0) => {
      const routine = created[index];
      if (!routine) throw new Error(`There is no payment ${index}.`);
      return routine;
    },
    voidKey,
    next: (...more) => void outcomes.push(...more),
    always: (outcome) => {
      defaultOutcome = outcome;
    },
    settle: (routine, [status, transferStatus] = ["completed", "processed"]) => {
      const settled = { ...routine, status, active: false };
      const at = created.findIndex(({ id }) => id === routine.id);
      if (at >= 0) created.splice(at, 1, settled);
      show(settled, transferStatus);
    },
    forget: (routine) => {
      const at = created.findIndex(({ id }) => id === routine.id);
      if (at >= 0) created.splice(at, 1);
      for (const [key, known] of byKey) if (known.id === routine.id) byKey.delete(key);
      service.answer(`GET /v1/routines/${routine.id}`, () => refused(404, "not_found"));
      service.answer(`GET /v1/transfers/${routine.transfer_id}`, () => refused(404, "not_found"));
    },
  };
}
