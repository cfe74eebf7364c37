import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorStatuses } from "./errors.ts";

// The rows of Decision D5's table: reasons, and their status or one status for each of them.
const rows = readFileSync("docs/spec/decisions.md", "utf8")
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .flatMap(([, reasons = "", statuses = ""]) =>
    /^[a-z_]+(?:, [a-z_]+)*$/.test(reasons) && /^\d{3}(?:, \d{3})*$/.test(statuses)
      ? [{ reasons: reasons.split(", "), statuses: statuses.split(", ").map(Number) }]
      : [],
  );

test("each reason has the status of Decision D5, and there is no other reason", () => {
  const decided = rows.flatMap(({ reasons, statuses }) =>
    reasons.map((reason, index) => [reason, statuses[index] ?? statuses[0]] as const),
  );
  expect(errorStatuses).toEqual(Object.fromEntries(decided));
});
