import { describe, expect, test } from "vitest";
import { isConnectionLost, isDatabaseUnavailable } from "./database-errors.ts";

const failure = (code: string) => new Error("Failed query", { cause: Object.assign(new Error("a cause"), { code }) });

describe("the same request may succeed in a moment", () => {
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
  ])("after %s, %s", (code) => {
    expect(isDatabaseUnavailable(failure(code))).toBe(true);
  });

  test.each(["23505", "42P01", "22P02", "XX000"])("and not after %s", (code) => {
    expect(isDatabaseUnavailable(failure(code))).toBe(false);
  });
});

test("a limit of the program is no lost connection: nothing is unknown after it", () => {
  expect(isConnectionLost(failure("54000"))).toBe(false);
});
