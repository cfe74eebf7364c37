import { expect, test } from "vitest";
import { readMoney } from "#client";
import { paidByWeek } from "./paid-by-week.ts";
import type { SellerPayment } from "./seller-payments.ts";

// A Wednesday.
const now = new Date("2026-03-11T12:00:00.000Z");

function paid(created_at: string | undefined, dollars: unknown, fields: Partial<SellerPayment> = {}): SellerPayment {
  return { id: `${created_at} ${dollars}`, amount: readMoney(dollars), created_at, meaning: "succeeded", ...fields };
}

function centsOfWeeks(newest: SellerPayment[], isAll = true): Record<string, number> | undefined {
  const weeks = paidByWeek(newest, { isAll, now });
  return weeks && Object.fromEntries(weeks.map(({ startsOn, cents }) => [startsOn, cents]));
}

const inSunday = paid("2026-03-08T00:00:00.000Z", 10.5);
const beforeSunday = paid("2026-03-07T23:59:59.999Z", 20);

test("the eight weeks end with this one and start on Sundays, and older payments aren't counted", () => {
  const weeks = centsOfWeeks([inSunday, beforeSunday, paid("2026-01-17T23:59:59.999Z", 1000)]);
  expect(weeks).toEqual({
    "2026-01-18": 0,
    "2026-01-25": 0,
    "2026-02-01": 0,
    "2026-02-08": 0,
    "2026-02-15": 0,
    "2026-02-22": 0,
    "2026-03-01": 2000,
    "2026-03-08": 1050,
  });
});

test("only payments that arrived and weren't returned count", () => {
  const lost = paid("2026-03-09T09:00:00.000Z", 7);
  const back = paid("2026-03-10T09:00:00.000Z", 7, { returned: { transferId: lost.id, reason: "account_closed" } });
  const under = paid("2026-03-09T09:00:00.000Z", 8, { meaning: "open" });
  const failed = paid("2026-03-09T09:00:00.000Z", 9, { meaning: "failed" });
  expect(centsOfWeeks([back, lost, under, failed, inSunday])?.["2026-03-08"]).toBe(1050);
});

test("a week isn't shown if earlier payments in it may be missing", () => {
  const newest = [inSunday, beforeSunday, paid("2026-02-25T09:00:00.000Z", 5)];
  expect(Object.keys(centsOfWeeks(newest, false) ?? {})).toEqual(["2026-03-01", "2026-03-08"]);
  expect(centsOfWeeks([inSunday, beforeSunday], false)).toBeUndefined();
});

test("a payment from a service whose clock is ahead is in the last week", () => {
  const weeks = centsOfWeeks([paid("2026-03-20T09:00:00.000Z", 3), inSunday]);
  expect(Object.entries(weeks ?? {}).slice(-2)).toEqual([
    ["2026-03-08", 1050],
    ["2026-03-15", 300],
  ]);
});

test.each([
  ["an amount isn't known", [paid("2026-03-09T09:00:00.000Z", "twelve"), inSunday]],
  ["a payment has no time", [paid(undefined, 5), inSunday]],
  ["nothing arrived", []],
])("there are no weeks where %s", (_what, newest) => {
  expect(paidByWeek(newest, { isAll: true, now })).toBeUndefined();
});
