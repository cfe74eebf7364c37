import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

// lib/service/http/monitoring.test.ts compares the metrics with a running service.
type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> };

const folder = "docs/monitoring";
const runbooks = readFileSync("docs/runbooks.md", "utf8");
const rules: Rule[] = read("alerts.yaml").groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

test("every alert links to a runbook that names it, and every runbook is linked", () => {
  const anchors = [...runbooks.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => slugOf(title));
  const linked = rules.map(({ annotations }) => annotations["runbook_url"]?.split("#")[1] ?? "");
  expect(linked.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  expect([...new Set(linked)].sort()).toEqual(anchors.filter((anchor) => anchor.startsWith("runbook-")).sort());
  for (const { alert, labels, annotations } of rules) {
    const runbook = sectionOf(annotations["runbook_url"]?.split("#")[1] ?? "");
    expect(runbook, alert).toMatch(new RegExp(`\\*[^*]*${alert}[^*]*, ${labels.severity}`));
    expect(annotations["summary"], alert).toMatch(/\.$/);
  }
});

test("each runbook has impact, checks, fixes, and resolution", () => {
  const titles = [...runbooks.matchAll(/^## (Runbook: .+)$/gm)].map(([, title = ""]) => slugOf(title));
  expect(titles.length).toBeGreaterThan(10);
  for (const runbook of titles) {
    const text = sectionOf(runbook);
    for (const part of ["**Impact:**", "**Check:**", "**Resolved:**"]) expect(text, runbook).toContain(part);
    expect(text, runbook).toMatch(/\*\*Fix\b/);
  }
});

test("a runbook's first check shows what to run", () => {
  const titles = [...runbooks.matchAll(/^## (Runbook: .+)$/gm)].map(([, title = ""]) => slugOf(title));
  for (const runbook of titles) {
    const [, check = ""] = /\*\*Check:\*\*([\s\S]*?)\n\d\. /.exec(sectionOf(runbook)) ?? [];
    expect(check, runbook).toMatch(/`/);
  }
});

test("every alert has a firing and a non-firing test", () => {
  const names: string[] = read("alerts.test.yaml").tests.map(({ name }: { name: string }) => name);
  expect(names.sort()).toEqual(rules.flatMap(({ alert }) => [`${alert} is raised`, `${alert} is not raised`]).sort());
});

test("each dashboard panel has a title, position, and expression, and shows the highest age", () => {
  const { panels } = JSON.parse(readFileSync(`${folder}/dashboard.json`, "utf8"));
  const drawn = panels.filter(({ type }: { type: string }) => type !== "row");
  expect(drawn.length).toBeGreaterThan(10);
  for (const { title, targets, gridPos } of drawn) {
    expect(title).toBeTruthy();
    for (const { expr } of targets) {
      expect(expr).toMatch(/./);
      // The minimum of several ages would hide the oldest.
      expect(expr).not.toMatch(/\bmin\b.*_seconds\b/);
    }
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  }
  expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
});

function read(file: string) {
  return parse(readFileSync(`${folder}/${file}`, "utf8"));
}

// GitHub's heading anchor.
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function sectionOf(anchor: string): string {
  const sections = runbooks.split(/^(?=#+ )/m);
  return sections.find((section) => slugOf(/^#+ (.+)$/m.exec(section)?.[1] ?? "") === anchor) ?? "";
}
