import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Comparison, figureOf } from "../measure/comparison.ts";
import { chartOf } from "./chart.ts";
import { withResults } from "./document.ts";
import { type JobResult, readResults, replaceResults, writeResults } from "./results.ts";
import { missedGoals, rowOf } from "./words.ts";

const met: Comparison = {
  job: "refresh <spread>",
  unit: "/s",
  ours: { ...figureOf("ours", [5900, 6000, 6100]), p50Ms: 4.04, p99Ms: 9 },
  yardstick: { ...figureOf("the peer", [1000, 1000, 1000]), p50Ms: 20, p99Ms: Number.NaN },
  goal: { kind: "beside", compare: "at least", ratio: 5 },
  lever: "nothing",
};
const missed: Comparison = { ...met, ours: figureOf("ours", [4000, 4900, 4000]), cause: "PostgreSQL is busy" };
const result = (job: string, comparisons: Comparison[], commit = "abc1234"): JobResult => ({
  job,
  measuredAt: "2026-01-02T03:04:05.000Z",
  commit,
  machine: { cores: 2, processor: "Some", memoryGb: 8, system: "linux 6", node: "v24.0.0", postgres: "18.4.0" },
  loadBefore: 0.12,
  options: { rounds: 3, seconds: 8, connections: 32, processes: 1, scale: 1, minutes: 30 },
  comparisons,
});
const document =
  "# P\n\n<!-- Written by `npm run bench`; do not edit. -->\nold\n<!-- End of what `npm run bench` writes. -->\n\nRest.\n";

test("a met goal is reported with its figures and spread", () => {
  expect(rowOf(met)).toEqual({
    job: "refresh <spread>",
    ours: "6,000/s ±2 %",
    yardstick: "the peer: 1,000/s",
    ratio: "6.00",
    p50: "4.0 / 20.0",
    p99: "9.0 / –",
    goal: "≥ 5 ×",
    result: "met",
  });
});

test("a missed goal and a noisy run are reported", () => {
  expect(rowOf(missed).result).toBe("missed, too noisy to trust");
});

test("results are stored one per line and round-trip", () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-results-"));
  try {
    const file = join(folder, "results.json");
    const results = [result("refresh", [met, missed]), result("user", [met])];
    writeResults(file, results);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(5);
    // JSON has no NaN.
    expect(readResults(file)).toEqual(JSON.parse(JSON.stringify(results)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("missed goals with one cause and one lever share a sentence", () => {
  const other = { ...missed, job: "refresh, one user" };
  expect(missedGoals([missed, other])).toEqual([
    "refresh <spread> vs. the peer, and refresh, one user vs. the peer: PostgreSQL is busy; next: nothing.",
  ]);
});

test("each missed goal has its cause and the next lever", () => {
  const unseen: Comparison = { ...missed, job: "other", yardstick: undefined, cause: undefined, lever: undefined };
  expect(missedGoals([met, missed, unseen])).toEqual([
    "refresh <spread> vs. the peer: PostgreSQL is busy; next: nothing.",
    "other: no cause was observed.",
  ]);
});

test("a goal without a yardstick is a limit with a unit", () => {
  const row = rowOf({
    job: "m",
    unit: "MB",
    ours: figureOf("ours", [240.2]),
    goal: { kind: "alone", compare: "at most", value: 250 },
  });
  expect(row).toMatchObject({ ours: "240 MB", yardstick: "", ratio: "", p50: "", goal: "≤ 250 MB", result: "met" });
});

test("the generated section is replaced and the rest of the document stays", () => {
  const written = withResults(document, [result("refresh", [met, missed])]);
  expect(written).toMatch(/^# P\n/);
  expect(written).toMatch(/\nRest\.\n$/);
  expect(written).not.toContain("old");
  expect(written).toContain("| refresh | 2026-01-02 | abc1234 | 3 × 8 s, 32 connections, scale 1 | 0.1 |");
  expect(written).toContain("- refresh <spread> vs. the peer: PostgreSQL is busy; next: nothing.");
  expect(written).toContain("2 cores (Some), 8 GB, linux 6, Node v24.0.0, PostgreSQL 18.4.0");
  expect(withResults(written, [result("refresh", [met, missed])])).toBe(written);
  expect(() => withResults("# P\n", [])).toThrow("generated section");
});

test("remeasured jobs replace their old results in job order", () => {
  const stored = [result("user", [met], "old"), result("refresh", [met], "old")];
  const replaced = replaceResults(stored, [result("refresh", [met], "new")], ["refresh", "user", "pages"]);
  expect(replaced.map(({ job, commit }) => `${job} ${commit}`)).toEqual(["refresh new", "user old"]);
});

test("the chart shows figures with a yardstick, with escaped text", () => {
  const alone: Comparison = { ...met, job: "alone", goal: { kind: "alone", compare: "at least", value: 1 } };
  const chart = chartOf([met, missed, alone]);
  expect(chart.match(/<rect/g)).toHaveLength(4);
  expect(chart).toContain("refresh &lt;spread&gt;");
  expect(chart).toContain("≥ 5 × met<");
  expect(chart).toContain("≥ 5 × missed, noisy<");
  expect(chart).not.toContain("alone");
});

test("the longest chart texts fit side by side", () => {
  const chart = chartOf([{ ...missed, ours: figureOf("ours", [21_000, 22_245, 98_765]) }]);
  const [, figureX, figure = ""] = /class="value" x="(\d+)" y="\d+">([^<]+)/.exec(chart) ?? [];
  const [, resultX, result = ""] = /class="small" x="(\d+)" y="\d+" text-anchor="end">(≥[^<]+)/.exec(chart) ?? [];
  // Seven and six are average character widths at these sizes.
  expect(Number(figureX) + 7 * figure.length).toBeLessThan(Number(resultX) - 6 * result.length);
});

test("every measured job has a short chart label", () => {
  const names = [
    ...readFileSync("docs/images/performance.svg", "utf8").matchAll(/x="(388)" y="\d+" text-anchor="end">([^<]+)/g),
  ];
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter(([, end, name = ""]) => 7 * name.length > Number(end)).map(([, , name]) => name)).toEqual([]);
});
