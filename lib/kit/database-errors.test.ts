import { describe, expect, test } from "vitest";
import { isConnectionLost, isDatabaseUnavailable, isDataError, reasonOf } from "./database-errors.ts";

const failure = (code: string) => new Error("Failed query", { cause: Object.assign(new Error("a cause"), { code }) });

describe("a retry", () => {
  test.each([
    ["08006", "a broken connection"],
    ["53200", "no memory"],
    ["54000", "a limit of the program exceeded"],
    ["54001", "a statement too complex"],
    ["54P01", "any other limit of its class"],
    ["55P03", "a lock that is not available"],
    ["EMFILE", "no file handle left for a connection"],
    ["ENFILE", "none left on the machine"],
    ["ENOBUFS", "no buffer left for a socket"],
    ["EADDRNOTAVAIL", "no port left to dial from"],
    ["EAI_AGAIN", "no answer from the resolver"],
  ])("may succeed after %s, %s", (code) => {
    expect(isDatabaseUnavailable(failure(code))).toBe(true);
  });

  test.each(["23505", "42P01", "22P02", "XX000"])("can't succeed after %s", (code) => {
    expect(isDatabaseUnavailable(failure(code))).toBe(false);
  });
});

test("a missing socket is a lost database, a missing file isn't", () => {
  const missing = (syscall: string) => Object.assign(new Error("ENOENT"), { code: "ENOENT", syscall });
  expect([isDatabaseUnavailable(missing("connect")), isDatabaseUnavailable(missing("open"))]).toEqual([true, false]);
});

test("a program limit is not a lost connection: the outcome is known", () => {
  expect(isConnectionLost(failure("54000"))).toBe(false);
});

const refusal = (code: string, more: object = {}) => Object.assign(new Error("a value of the row"), { code, ...more });

describe("a database error", () => {
  test.each([
    ["23514", true],
    ["22021", true],
    ["54000", true],
    ["40P01", false],
    ["57P01", false],
    ["55P03", false],
    ["ECONNRESET", false],
  ])("%s is caused by a row: %s", (code, isRowsOwn) => {
    expect(isDataError(refusal(code))).toBe(isRowsOwn);
    expect(isDataError(new Error("Failed query", { cause: refusal(code) }))).toBe(isRowsOwn);
  });

  test("is described by code and constraint, never by its message", () => {
    expect(reasonOf(refusal("23514", { constraint: "accounts_held_not_negative" }))).toBe(
      "23514 accounts_held_not_negative",
    );
    expect(reasonOf(refusal("22021"))).toBe("22021");
    expect(reasonOf(new TypeError("a value of the row"))).toBe("TypeError");
    expect(reasonOf("thrown")).toBe("unknown");
  });
});
