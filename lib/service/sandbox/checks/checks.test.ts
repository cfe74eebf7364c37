import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allRules } from "./all-rules.ts";
import { readHistory } from "./history.ts";
import { type Rule, type Verdict, verdictOf } from "./rule.ts";
import { readCountedHistory } from "./testing/count-reads.ts";
import { type Examples, Story, type Tell } from "./testing/example-events.ts";
import { tellRandomStory } from "./testing/random-story.ts";

const modules = import.meta.glob<{ examples: Examples }>("./rules/*.examples.ts", { eager: true });

function examplesOf({ id }: Rule): Examples {
  const module = modules[`./rules/${id}.examples.ts`];
  if (!module) throw new Error(`${id} has no examples.`);
  return module.examples;
}

function judge(rule: Rule, tell: Tell): { verdict: Verdict; ids: Set<string> } {
  const story = new Story();
  tell(story);
  const verdict = verdictOf(rule.judge(readHistory(story.events, { until: story.now })), { after: 0 });
  return { verdict, ids: new Set(story.events.map(({ id }) => id)) };
}

describe.each(allRules.map((rule) => ({ id: rule.id, rule })))("$id", ({ rule }) => {
  const { kept, broken, notSeen, nearMisses } = examplesOf(rule);

  test.each(Object.entries(kept))("is kept: %s", (_, tell) => {
    const { verdict, ids } = judge(rule, tell);
    expect(verdict).toEqual({ state: "kept", evidence: expect.arrayContaining([expect.any(String)]) });
    expect("evidence" in verdict && verdict.evidence.every((id) => ids.has(id))).toBe(true);
  });

  test.each(Object.entries(broken))("is broken: %s", (_, tell) => {
    const { verdict, ids } = judge(rule, tell);
    expect(verdict).toEqual({ state: "broken", evidence: expect.arrayContaining([expect.any(String)]) });
    expect("evidence" in verdict && verdict.evidence.every((id) => ids.has(id))).toBe(true);
  });

  test.each(Object.entries(notSeen))("is not seen: %s", (_, tell) => {
    expect(judge(rule, tell).verdict).toEqual({ state: "not_seen" });
  });

  test.each(Object.entries(nearMisses))("does not blame: %s", (_, tell) => {
    expect(judge(rule, tell).verdict.state).not.toBe("broken");
  });

  test("has an example of each kind", () => {
    for (const examples of [kept, broken, notSeen, nearMisses]) expect(Object.keys(examples)).not.toEqual([]);
  });

  test("rests on clauses that exist", () => {
    const clauses: Record<string, unknown> = JSON.parse(readFileSync("lab/clauses/clauses.json", "utf8"));
    expect(rule.clauses.filter((id) => !(id in clauses))).toEqual([]);
    expect(rule.clauses).not.toEqual([]);
  });
});

describe("all rules", () => {
  test("are at least 24, each with an id and a file of its own", () => {
    expect(allRules.length).toBeGreaterThanOrEqual(24);
    expect(new Set(allRules.map(({ id }) => id)).size).toBe(allRules.length);
    expect(Object.keys(modules)).toHaveLength(allRules.length);
  });

  // What keeps a rule, and what only looks like breaking it, is a correct client's doing.
  test.each(
    allRules.flatMap((rule) =>
      Object.entries(examplesOf(rule).kept).map(([name, tell]) => ({ id: rule.id, name, tell })),
    ),
  )("none blames whom $id praises: $name", ({ tell }) => {
    const blamed = allRules.filter((rule) => judge(rule, tell).verdict.state === "broken");
    expect(blamed.map(({ id }) => id)).toEqual([]);
  });

  test("judge nothing out of nothing", () => {
    const history = readHistory([], { until: new Date(0) });
    expect(allRules.filter((rule) => verdictOf(rule.judge(history), { after: 0 }).state !== "not_seen")).toEqual([]);
  });

  test("count only what follows an event, and still know what came before it", () => {
    const uncounted = allRules.flatMap((rule) =>
      Object.entries(examplesOf(rule).broken).map(([name, tell]) => {
        const story = new Story();
        tell(story);
        const findings = rule.judge(readHistory(story.events, { until: story.now }));
        const last = Math.max(...findings.broken.map(({ id }) => Number(id)));
        const [before, after] = [last - 1, last].map((at) => verdictOf(findings, { after: at }).state);
        return { id: rule.id, name, before, isOver: after !== "broken" };
      }),
    );
    expect(uncounted.filter(({ before, isOver }) => before !== "broken" || !isOver)).toEqual([]);
  });

  test("do not depend on the order in which events were written down", () => {
    for (const rule of allRules) {
      for (const tell of Object.values(examplesOf(rule).broken)) {
        const story = new Story();
        tell(story);
        const history = readHistory(story.events.toReversed(), { until: story.now });
        expect([rule.id, verdictOf(rule.judge(history), { after: 0 }).state]).toEqual([rule.id, "broken"]);
      }
    }
  });

  test("visit an event a bounded number of times, however long the record is", () => {
    const counts = [2000, 4000].map((events) => {
      const story = tellRandomStory({ seed: 7, events, people: 2, pauseMs: 1000 });
      const { history, countOf } = readCountedHistory(story.events, { until: story.now });
      return allRules.map((rule) => countOf(() => rule.judge(history)));
    });
    const [short = [], long = []] = counts;
    const growth = allRules.map(({ id }, place) => ({ id, factor: (long[place] ?? 0) / (short[place] ?? 0) }));
    expect(growth.filter(({ factor }) => !(factor < 2.3))).toEqual([]);
  });

  test("visit an event few times before other calls get their turn, in each step to the history and in each rule", () => {
    const events = 4000;
    const story = tellRandomStory({ seed: 7, events, people: 2, pauseMs: 1000 });
    const { history, stepReadsMax, countOf } = readCountedHistory(story.events, { until: story.now });
    const visits = allRules.map((rule) => ({ id: rule.id, each: countOf(() => rule.judge(history)) / events }));
    expect(stepReadsMax / events).toBeLessThan(3.5);
    expect(visits.filter(({ each }) => !(each < 8))).toEqual([]);
  });
});
