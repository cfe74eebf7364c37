import { expect, test } from "vitest";
import { formatSsn, isWholeDate, longDate, partsOfDate, readDate, ssnDigits, textOfDate } from "./us-formats.ts";

test.each([
  "05/14/1990",
  "5/14/1990",
  " 05 / 14 / 1990 ",
  "05-14-1990",
  "5.14.1990",
  "05 14 1990",
  "05141990",
  "1990-05-14",
  "1990/05/14",
  "May 14, 1990",
  "may 14 1990",
  "May. 14th, 1990",
  // The whole date typed into the first of three fields.
  "05/14/1990//",
])("%j is the fourteenth of May", (typed) => {
  expect(readDate(typed)).toEqual({ kind: "date", iso: "1990-05-14" });
  expect(isWholeDate(typed)).toBe(true);
  expect(longDate(typed)).toBe("May 14, 1990");
});

test.each([
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
])("%s may be written out", (name) => {
  const date = readDate(`${name} 2, 1990`);
  expect(date).toMatchObject({ kind: "date" });
  expect(date.kind === "date" && longDate(date.iso)).toBe(`${name} 2, 1990`);
});

test.each(["5/14", "/14/1990", "5//1990", "5/14/90", "5/1x/1990", "5x/14/1990", "05/14/19900"])(
  "%j isn't a whole date yet",
  (typed) => expect(isWholeDate(typed)).toBe(false),
);

test.each([
  ["", { kind: "empty" }],
  [" / / ", { kind: "empty" }],
  ["05//1990", { kind: "incomplete", missing: ["day"] }],
  ["//1990", { kind: "incomplete", missing: ["month", "day"] }],
  ["tomorrow", { kind: "incomplete", missing: ["day", "year"] }],
  ["5/14/90", { kind: "short_year" }],
  ["02/30/1990", { kind: "impossible" }],
  ["31/01/1990", { kind: "impossible" }],
  ["05/14/19900", { kind: "impossible" }],
  ["Foo 14, 1990", { kind: "impossible" }],
])("%j reads as %j", (typed, expected) => {
  expect(readDate(typed)).toEqual(expected);
  expect(longDate(typed)).toBe(typed);
});

test.each(["", "05//1990", "02/29/1992", "5/x/1"])("splitting and joining %j gives the same text", (typed) => {
  expect(textOfDate(partsOfDate(typed))).toBe(typed);
});

test.each([
  ["", ""],
  ["6789", "6789"],
  ["12345", "123-45"],
  ["1234567", "123-45-67"],
  ["123456789", "123-45-6789"],
  ["123 45 6789", "123-45-6789"],
  ["123\u201145\u20116789", "123-45-6789"],
  ["123-4", "1234"],
  ["1234567890", "1234567890"],
  ["xxx-xx-6789", "xxx-xx-6789"],
])("the number %j is written as %j", (typed, expected) => {
  expect(formatSsn(typed)).toBe(expected);
});

test.each(["123-45-6789", "123 45 6789", "123\u201145\u20136789", "\u202a123456789\u202c"])(
  "%j has nine digits",
  (typed) => {
    expect(ssnDigits(typed)).toBe("123456789");
  },
);
