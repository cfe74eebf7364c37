import { expect, test } from "vitest";
import { readMoney, time } from "./reading.ts";

test.each([
  [125.5, 12550],
  [0, 0],
  ["125.50", 12550],
  ["125.500", 12550],
  [" 7 ", 700],
  [-3.25, -325],
  ["-0", 0],
  [1e3, 100_000],
  ["1.5e2", 15_000],
  [1_000_000.01, 100_000_001],
])("reads %s exactly", (written, cents) => expect(readMoney(written)).toEqual({ kind: "exact", cents }));

test.each([
  [125.49999999999999, 12550],
  [0.1 + 0.2, 30],
  [10.005, 1001],
  ["-10.005", -1001],
  [1e-7, 0],
  ["0.004", 0],
])("rounds %s to cents, and says so", (written, cents) =>
  expect(readMoney(written)).toEqual({ kind: "rounded", cents, written: String(written) }),
);

test.each(["", "lots", "1,234.50", "$5", "0x10", "Infinity", "NaN", "12 34", "9".repeat(17), "1e40"])(
  "can't read %s, and keeps it as written",
  (written) => expect(readMoney(written)).toEqual({ kind: "unknown", written }),
);

test.each([
  [undefined, undefined],
  [null, undefined],
  [{ minor: 5 }, '{"minor":5}'],
  [true, "true"],
])("can't read %j", (value, written) => expect(readMoney(value)).toEqual({ kind: "unknown", written }));

test.each([
  "2026-01-31T09:30:00.000Z",
  "2026-01-31T01:30:00-08:00",
  "2026-01-31T09:30:00",
  "2026-01-31 09:30:00.000000",
  1769851800,
])("reads the time %s, in UTC unless it names an offset", (written) =>
  expect(time.parse(written)).toBe("2026-01-31T09:30:00.000Z"),
);
