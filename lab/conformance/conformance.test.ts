import { describe, expect, test } from "vitest";
import { publishedChecks } from "./checks.ts";
import { readClauses } from "./clauses.ts";
import { decisionChecks } from "./decisions/checks.ts";
import { restatements } from "./restatements.ts";
import { isConformant, type Report, type Verdict } from "./run-suite.ts";
import { brokenDecisions, groupBrokenDecisions } from "./testing/broken-decisions.ts";
import { brokenServices } from "./testing/broken-services.ts";
import { runAgainstBare } from "./testing/run-against.ts";
import { unusualServices } from "./testing/unusual-services.ts";
import { unreachable } from "./unreachable.ts";

// Can't be checked by requests: rules for clients, and what JSON itself defines.
const uncheckedIds = [
  "I.metadata.2",
  "I.metadata.9",
  "I.authentication.12",
  "I.authentication.13",
  "I.authentication.14",
];

describe("the list of clauses", () => {
  const clauses = readClauses();
  const checked = new Set([...publishedChecks, ...decisionChecks].map(({ clause }) => clause));

  test("a published clause has a check, restates checked clauses, or gives a reason for neither", () => {
    const published = clauses.filter(({ isPublished }) => isPublished).map(({ id }) => id);
    const without = published.filter((id) => !checked.has(id) && !(id in restatements));
    expect(published.length).toBeGreaterThan(130);
    expect(without).toEqual(uncheckedIds);
    for (const id of without) expect(unreachable[id]).toBeTruthy();
  });

  test("a decision has a check or gives a reason for having none", () => {
    const decisions = clauses.filter(({ isPublished }) => !isPublished).map(({ id }) => id);
    expect(decisions.filter((id) => !checked.has(id) && !unreachable[id])).toEqual([]);
  });

  test("checks, restatements, and reasons name existing clauses, and restated clauses have checks", () => {
    const ids = new Set(clauses.flatMap(({ id }) => [id, id.split(".")[0]]));
    const named = [...checked, ...Object.keys(restatements), ...Object.keys(unreachable)];
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
    expect(
      Object.values(restatements)
        .flat()
        .filter((id) => !checked.has(id)),
    ).toEqual([]);
    expect(Object.keys(unreachable).filter((id) => checked.has(id))).toEqual([]);
  });

  test("each clause is listed under its document's heading", () => {
    const sections = new Map(clauses.map(({ id, section }) => [id, section]));
    expect(sections.get("I.metadata.1")).toMatch(/^Metadata/);
    expect(sections.get("I.get-v1-customers-{customer-id}.1")).toMatch(/^GET \/v1\/customers/);
    expect(sections.get("D13.1")).toBe("D13 Routines");
    expect([...sections].filter(([id, section]) => id.startsWith(section)).map(([id]) => id)).toEqual([]);
  });
});

describe("a bare service with different choices wherever the interface is silent", () => {
  test("meets every published clause", async () => {
    const report = await runAgainstBare();
    expect(idsOf(report, "not met")).toEqual([]);
    expect(publishedOf(report, "not reached")).toEqual(uncheckedIds);
    expect(isConformant(report)).toBe(true);
  });

  test("conforms although it differs from our decisions", async () => {
    const report = await runAgainstBare({ withDecisions: true });
    expect(idsOf(report, "not met")).toEqual([]);
    // Every decision check can find a difference.
    const checkedClauses = decisionChecks.map(({ clause }) => clause);
    const same = checkedClauses.filter((clause) => idsOf(report, "met").includes(clause));
    expect(same).toEqual([]);
    expect(idsOf(report, "different").length).toBeGreaterThan(30);
    expect(idsOf(report, "different").every((id) => id.startsWith("D"))).toBe(true);
    expect(isConformant(report)).toBe(true);
  });

  test("without sandbox control, client-level clauses are met and the rest isn't reached", async () => {
    const report = await runAgainstBare({ hasSandbox: false });
    expect(idsOf(report, "not met")).toEqual([]);
    expect(idsOf(report, "met")).toEqual(expect.arrayContaining(["I.metadata.1", "I.authentication.1"]));
    const clock = report.results.find(({ id }) => id === "I.limits.5");
    expect(clock).toMatchObject({ verdict: "not reached", why: "It can't be reached without sandbox control." });
  });
});

describe("a service that keeps every rule in an unusual way conforms", () => {
  test.concurrent.for(unusualServices)("$habit", async ({ habits, unreached: expected }, { expect }) => {
    const report = await runAgainstBare({ habits });
    expect(idsOf(report, "not met")).toEqual([]);
    const unreached = publishedOf(report, "not reached").filter((id) => !uncheckedIds.includes(id));
    if (expected.length < 2) expect(unreached).toEqual(expected);
    else expect(unreached).toEqual(expect.arrayContaining(expected));
  });
});

describe("a service that breaks one published rule fails its clause and no other", () => {
  test("every check has a service that fails it", () => {
    const broken = new Set(brokenServices.map(({ breaks }) => breaks));
    expect(publishedChecks.map(({ clause }) => clause).filter((clause) => !broken.has(clause))).toEqual([]);
    expect(brokenServices.length).toBeGreaterThan(20);
  });

  test.concurrent.for(brokenServices)("$breaks: $fault", async ({ breaks, broken }, { expect }) => {
    const report = await runAgainstBare({ broken });
    const unmet = report.results.filter(({ verdict, as }) => verdict === "not met" && as.length === 0);
    expect(unmet.map(({ id }) => id)).toEqual([breaks]);
    // The other unmet clauses restate this one.
    const restating = report.results.filter(({ verdict, as }) => verdict === "not met" && as.length > 0);
    for (const { id, as } of restating) {
      expect(restatements[id]).toContain(breaks);
      expect(as).toEqual([breaks]);
    }
    expect(isConformant(report)).toBe(false);
  });
});

// e2e/conformance.spec.ts shows that each is caught by its own clause only.
describe("the changed decisions of our service", () => {
  test("each has a check and its own combination of runs", () => {
    const checked = decisionChecks.map(({ clause }) => clause);
    expect(brokenDecisions.map(({ breaks }) => breaks).filter((clause) => !checked.includes(clause))).toEqual([]);
    expect(brokenDecisions.length).toBeGreaterThan(30);
    const groups = groupBrokenDecisions();
    const patterns = brokenDecisions.map((one) => groups.map((group) => (group.includes(one) ? "x" : "-")).join(""));
    expect(new Set(patterns).size).toBe(brokenDecisions.length);
    expect(patterns.filter((pattern) => pattern.replaceAll("-", "").length !== 3)).toEqual([]);
  });
});

function idsOf({ results }: Report, wantedVerdict: Verdict): string[] {
  return results.filter(({ verdict }) => verdict === wantedVerdict).map(({ id }) => id);
}

function publishedOf(report: Report, verdict: Verdict): string[] {
  return idsOf(report, verdict).filter((id) => id.startsWith("I."));
}
