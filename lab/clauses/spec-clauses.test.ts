import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findClauseProblems, readClauses } from "./spec-clauses.ts";

const clauses = readClauses();

test("every clause of the interface and every decision names tests that exist", () => {
  expect(findClauseProblems(clauses)).toEqual([]);
});

test("both documents are read completely: every section has clauses, and no id occurs twice", () => {
  const ids = clauses.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const headings = readFileSync("docs/spec/decisions.md", "utf8").matchAll(/^## (D\d+) /gm);
  const decisions = Array.from(headings, ([, id]) => id);
  expect(decisions.length).toBeGreaterThanOrEqual(18);
  expect(new Set(ids.filter((id) => id.startsWith("D")).map((id) => id.split(".")[0]))).toEqual(new Set(decisions));
  expect(ids).toContain("I.versioning.1");
  expect(ids.length).toBeGreaterThan(200);
});

test("reports a clause without a test, and a test that doesn't exist", () => {
  const [first] = clauses;
  if (!first) throw new Error("There must be clauses.");
  const proof = [{ file: "lab/clauses/spec-clauses.test.ts", name: "no such name" }];
  expect(findClauseProblems([{ ...first, proof: [], open: undefined }])).toContainEqual(
    expect.stringContaining(`${first.id} has no test`),
  );
  expect(findClauseProblems([{ ...first, proof }])).toContain(
    `${first.id}: lab/clauses/spec-clauses.test.ts has no test "no such name".`,
  );
});
