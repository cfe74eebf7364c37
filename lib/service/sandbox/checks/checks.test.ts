import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allRules } from "./all-rules.ts";
import { readHistory } from "./history.ts";
import { type Rule, type Verdict, verdictOf } from "./rule.ts";
import { readCountedHistory } from "./testing/count-reads.ts";
import { type Examples, Recorder, type Scenario } from "./testing/example-events.ts";
import { randomRecord } from "./testing/random-record.ts";

const modules = import.meta.glob<{ examples: Record<string, Examples> }>("./testing/examples/*.ts", { eager: true });
const examplesOfRule = Object.assign({}, ...Object.values(modules).map(({ examples }) => examples)) as Record<
  string,
  Examples
>;

function examplesOf({ id }: Rule): Examples {
  const examples = examplesOfRule[id];
  if (!examples) throw new Error(`${id} has no examples.`);
  return examples;
}

function judge(rule: Rule, scenario: Scenario): { verdict: Verdict; ids: Set<string> } {
  const record = new Recorder();
  scenario(record);
  const verdict = verdictOf(rule.judge(readHistory(record.events, { until: record.now })), { after: 0 });
  return { verdict, ids: new Set(record.events.map(({ id }) => id)) };
}

describe.each(allRules.map((rule) => ({ id: rule.id, rule })))("$id", ({ rule }) => {
  const { kept, broken, notSeen, nearMisses } = examplesOf(rule);

  test.each(Object.entries(kept))("is kept: %s", (_, scenario) => {
    const { verdict, ids } = judge(rule, scenario);
    expect(verdict).toEqual({ state: "kept", evidence: expect.arrayContaining([expect.any(String)]) });
    expect("evidence" in verdict && verdict.evidence.every((id) => ids.has(id))).toBe(true);
  });

  test.each(Object.entries(broken))("is broken: %s", (_, scenario) => {
    const { verdict, ids } = judge(rule, scenario);
    expect(verdict).toEqual({ state: "broken", evidence: expect.arrayContaining([expect.any(String)]) });
    expect("evidence" in verdict && verdict.evidence.every((id) => ids.has(id))).toBe(true);
  });

  test.each(Object.entries(notSeen))("is not seen: %s", (_, scenario) => {
    expect(judge(rule, scenario).verdict).toEqual({ state: "not_seen" });
  });

  test.each(Object.entries(nearMisses))("isn't broken: %s", (_, scenario) => {
    expect(judge(rule, scenario).verdict.state).not.toBe("broken");
  });

  test("has an example of each kind", () => {
    for (const examples of [kept, broken, notSeen, nearMisses]) expect(Object.keys(examples)).not.toEqual([]);
  });

  test("cites existing clauses", () => {
    const clauses: Record<string, unknown> = JSON.parse(readFileSync("lab/clauses/clauses.json", "utf8"));
    expect(rule.clauses.filter((id) => !(id in clauses))).toEqual([]);
    expect(rule.clauses).not.toEqual([]);
  });
});

describe("all rules", () => {
  test("are at least 24, each with a unique id and examples", () => {
    expect(allRules.length).toBeGreaterThanOrEqual(24);
    expect(new Set(allRules.map(({ id }) => id)).size).toBe(allRules.length);
    expect(Object.keys(examplesOfRule).sort()).toEqual(allRules.map(({ id }) => id).sort());
  });

  test.each(
    allRules.flatMap((rule) =>
      Object.entries(examplesOf(rule).kept).map(([name, scenario]) => ({ id: rule.id, name, scenario })),
    ),
  )("none is broken where $id is kept: $name", ({ scenario }) => {
    const violated = allRules.filter((rule) => judge(rule, scenario).verdict.state === "broken");
    expect(violated.map(({ id }) => id)).toEqual([]);
  });

  test("see nothing in an empty record", () => {
    const history = readHistory([], { until: new Date(0) });
    expect(allRules.filter((rule) => verdictOf(rule.judge(history), { after: 0 }).state !== "not_seen")).toEqual([]);
  });

  test("count only events after a given one, with earlier ones as context", () => {
    const uncounted = allRules.flatMap((rule) =>
      Object.entries(examplesOf(rule).broken).map(([name, scenario]) => {
        const record = new Recorder();
        scenario(record);
        const findings = rule.judge(readHistory(record.events, { until: record.now }));
        const last = Math.max(...findings.broken.map(({ id }) => Number(id)));
        const [before, after] = [last - 1, last].map((at) => verdictOf(findings, { after: at }).state);
        return { id: rule.id, name, before, isOver: after !== "broken" };
      }),
    );
    expect(uncounted.filter(({ before, isOver }) => before !== "broken" || !isOver)).toEqual([]);
  });

  test("don't depend on the order in which events were written", () => {
    for (const rule of allRules) {
      for (const scenario of Object.values(examplesOf(rule).broken)) {
        const record = new Recorder();
        scenario(record);
        const history = readHistory(record.events.toReversed(), { until: record.now });
        expect([rule.id, verdictOf(rule.judge(history), { after: 0 }).state]).toEqual([rule.id, "broken"]);
      }
    }
  });

  test("visit each event a bounded number of times, regardless of the record's length", () => {
    const counts = [2000, 4000].map((events) => {
      const record = randomRecord({ seed: 7, events, people: 2, pauseMs: 1000 });
      const { history, countOf } = readCountedHistory(record.events, { until: record.now });
      return allRules.map((rule) => countOf(() => rule.judge(history)));
    });
    const [short = [], long = []] = counts;
    const growth = allRules.map(({ id }, index) => ({ id, factor: (long[index] ?? 0) / (short[index] ?? 0) }));
    expect(growth.filter(({ factor }) => !(factor < 2.3))).toEqual([]);
  });

  test("visit each event only a few times per step and per rule, so other requests aren't delayed", () => {
    const events = 4000;
    const record = randomRecord({ seed: 7, events, people: 2, pauseMs: 1000 });
    const { history, stepReadsMax, countOf } = readCountedHistory(record.events, { until: record.now });
    const visits = allRules.map((rule) => ({ id: rule.id, each: countOf(() => rule.judge(history)) / events }));
    expect(stepReadsMax / events).toBeLessThan(3.5);
    expect(visits.filter(({ each }) => !(each < 8))).toEqual([]);
  });
});
