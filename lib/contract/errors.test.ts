import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { oauthRefusals, refusals } from "./errors.ts";
import { faultReasons } from "./sandbox-faults.ts";

// Reasons with their statuses, or one status for all of them.
const rows = readFileSync("docs/spec/decisions.md", "utf8")
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .flatMap(([, reasons = "", statuses = ""]) =>
    /^[a-z_]+(?:, [a-z_]+)*$/.test(reasons) && /^\d{3}(?:, \d{3})*$/.test(statuses)
      ? [{ reasons: reasons.split(", "), statuses: statuses.split(", ").map(Number) }]
      : [],
  );

test("the reasons and their statuses match Decision D5", () => {
  const decided = rows.flatMap(({ reasons, statuses }) =>
    reasons.map((reason, index) => [reason, statuses[index] ?? statuses[0]] as const),
  );
  const statuses = Object.entries(refusals).map(([reason, { status }]) => [reason, status]);
  expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(decided));
});

const all = [...Object.entries(refusals), ...Object.entries(oauthRefusals)];

test.each(all)("%s has a 4xx or 5xx status and a one-sentence description that OAuth allows", (reason, entry) => {
  expect(reason).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
  expect(entry.status).toBeGreaterThanOrEqual(400);
  expect(entry.status).toBeLessThan(600);
  // RFC 6749 appendix A.8.
  expect(entry.sentence).toMatch(/^[A-Za-z][\x20-\x21\x23-\x5b\x5d-\x7e]{10,}[^.]\.$/);
});

test("no two reasons share a sentence, and no reason is in both tables", () => {
  const sentences = all.map(([, { sentence }]) => sentence);
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(new Set(all.map(([reason]) => reason)).size).toBe(all.length);
});

test("every injectable status has a reason with that status", () => {
  for (const [status, reason] of Object.entries(faultReasons)) expect(refusals[reason].status).toBe(Number(status));
});
