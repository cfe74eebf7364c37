import { afterAll, beforeAll, expect, test } from "vitest";
import { partner } from "../process-partner.ts";
import type { RoutineState } from "../storage/schema.ts";
import { type ConnectedBusiness, connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { type FakeService, startFakeService } from "../testing/fake-service.ts";
import { pay } from "../testing/pay.ts";
import { routineRecordOf } from "../testing/records.ts";
import {
  listedStatus,
  parseRoutineListQuery,
  type RoutineFilterName,
  readNewestRoutines,
  readRoutineList,
  readRoutineView,
  routineFilters,
} from "./routine-view.ts";

let service: FakeService;
let business: ConnectedBusiness;

beforeAll(async () => {
  service = await startFakeService();
  business = await connectBusiness();
  for (let number = 1; number <= 45; number++) {
    const status = number % 3 === 0 ? "completed" : "active";
    service.answer("POST /v1/routines/book", () => ({ status: 201, body: routineRecordOf({ status }) }));
    const name = number === 7 ? "50% off_sale" : `Lamp ${number}`;
    await pay(business, { name });
  }
});
afterAll(() => service.stop());

function list(query: Record<string, string>) {
  return readRoutineList(partner(), parseRoutineListQuery(query));
}

test("lists every routine once, newest first, in pages of twenty", async () => {
  const names: string[] = [];
  let before: string | undefined;
  do {
    const page = await list(before ? { before } : {});
    names.push(...page.routines.map(({ name }) => name));
    before = page.next;
  } while (before);
  expect(names).toHaveLength(45);
  expect(new Set(names).size).toBe(45);
  expect(names[0]).toBe("Lamp 45");
});

test("filters by status", async () => {
  const { routines, next } = await list({ status: "completed" });
  expect(routines).toHaveLength(15);
  expect(next).toBeUndefined();
  expect(new Set(routines.map(({ status }) => status))).toEqual(new Set(["completed"]));
});

test("searches names and sellers in any case, and takes special characters literally", async () => {
  expect((await list({ search: "lAMP 12" })).routines).toHaveLength(1);
  expect((await list({ search: "marta qu" })).routines).toHaveLength(20);
  expect((await list({ search: "50% off_s" })).routines).toHaveLength(1);
  expect((await list({ search: "5_%" })).routines).toHaveLength(0);
  expect((await list({ search: "lamp\u0000 12\u0007" })).routines).toHaveLength(1);
});

test("ignores query parameters that it doesn't understand", () => {
  const query = { status: "constructor", before: "'; drop table", search: ["a", "b"] };
  expect(parseRoutineListQuery(query)).toEqual({ filter: "all", search: "", before: undefined });
});

test("distinguishes sellers of the same name, in the list and on the payment's pages, and leaves other names alone", async () => {
  expect((await list({})).routines[0]?.sellerName).toBe("Marta Quay");
  const { person } = await connectSeller({ status: "approved" });
  const [row] = (await list({})).routines;
  const name = expect.stringMatching(/^Marta Quay \(phone\u00a0••\d{4}, m•••@example\.com\)$/);
  expect(row?.sellerName).toEqual(name);
  expect(row?.sellerName).not.toContain(person.phone.slice(-4));
  expect((await readNewestRoutines(partner(), 1))[0]?.sellerName).toEqual(name);
  expect(await readRoutineView(partner(), row?.id ?? "")).toMatchObject({ sellerName: name });
  expect(await readRoutineView(partner(), row?.id ?? "")).toMatchObject({ sellerName: name });
});

test.each<[RoutineState, string | null, Exclude<RoutineFilterName, "all">]>([
  ["submitting", "submitting", "active"],
  ["unanswered", "unanswered", "active"],
  ["open", "odd_word", "active"],
  ["missing", "missing", "attention"],
  ["conflicting", "conflicting", "attention"],
  ["succeeded", "odd_word", "completed"],
  ["failed", "odd_word", "failed"],
  ["cancelled", "odd_word", "failed"],
  ["refused", "refused", "failed"],
])("a payment that is %s is shown as %s, and only by the filter %s", async (state, shown, filter) => {
  const name = `Lamp that is ${state}`;
  await pay(business, { name });
  await partner().pool.query(
    "update routines set state = $1, status = 'odd_word', end_confirmed_at = null where name = $2",
    [state, name],
  );
  const foundIn: string[] = [];
  for (const status of Object.keys(routineFilters)) {
    const { routines } = await list({ status, search: name });
    expect(routines.map((routine) => routine.status)).toEqual(routines.length > 0 ? [shown] : []);
    if (routines.length > 0) foundIn.push(status);
  }
  expect(foundIn).toEqual(["all", filter]);
  expect((await list({})).attention).toBe(filter === "attention" ? 1 : 0);
  await partner().pool.query("update routines set state = 'open' where name = $1", [name]);
});

test.each<[what: string, shown: string, columns: string]>([
  ["may be paid twice", "paid_twice", "state = 'succeeded', second_service_routine_id = 'r-2'"],
  [
    "is no longer resent",
    "unanswered",
    "state = 'unanswered', failure_reason = 'no_answer', service_routine_id = null",
  ],
])(
  "a payment that %s needs attention and is shown as %s, until an operator has resolved it",
  async (what, shown, columns) => {
    const name = `Lamp that ${what}`;
    await pay(business, { name });
    await partner().pool.query(`update routines set ${columns} where name = $1`, [name]);
    const found = async () => {
      const { routines, attention } = await list({ status: "attention" });
      return [attention, routines.map((routine) => [routine.name, routine.status])];
    };
    expect(await found()).toEqual([1, [[name, shown]]]);
    await partner().pool.query("update routines set state = 'succeeded', second_seen_by = $1 where name = $2", [
      business.operator.id,
      name,
    ]);
    expect(await found()).toEqual([0, []]);
  },
);

test.each<[RoutineState, string]>([
  ["succeeded", "confirmed_arrived"],
  ["failed", "confirmed_not_arrived"],
  ["conflicting", "conflicting"],
  ["missing", "missing"],
])("a payment with a confirmed outcome and the state %s is shown as %s", (state, shown) => {
  const noSecond = { secondServiceRoutineId: null, secondSeenBy: null };
  expect(listedStatus({ state, status: "completed", endConfirmedAt: new Date(), ...noSecond })).toBe(shown);
});
