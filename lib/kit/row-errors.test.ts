import { describe, expect, test } from "vitest";
import { isDataError, reasonOf } from "./row-errors.ts";

const refusal = (code: string, more: object = {}) => Object.assign(new Error("a value of the row"), { code, ...more });

describe("an error of the database", () => {
  test.each([
    ["23514", true],
    ["22021", true],
    ["54000", true],
    ["40P01", false],
    ["57P01", false],
    ["55P03", false],
    ["ECONNRESET", false],
  ])("%s is a row's own: %s", (code, isRowsOwn) => {
    expect(isDataError(refusal(code))).toBe(isRowsOwn);
    expect(isDataError(new Error("Failed query", { cause: refusal(code) }))).toBe(isRowsOwn);
  });

  test("is told by code and rule, and never by its message", () => {
    expect(reasonOf(refusal("23514", { constraint: "accounts_held_not_negative" }))).toBe(
      "23514 accounts_held_not_negative",
    );
    expect(reasonOf(refusal("22021"))).toBe("22021");
    expect(reasonOf(new TypeError("a value of the row"))).toBe("TypeError");
    expect(reasonOf("thrown")).toBe("unknown");
  });
});
