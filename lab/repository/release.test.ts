import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

test("the changelog's newest entry is this version", () => {
  const [newest] = readFileSync("CHANGELOG.md", "utf8").match(/^## \[.*$/m) ?? [];
  expect(newest).toMatch(new RegExp(`^## \\[${version}\\] - (?:Unreleased|\\d{4}-\\d{2}-\\d{2})$`));
});

test("the workflow runs every stage of the README's tests in full, read-only, and publishes nothing", () => {
  const text = readFileSync(".github/workflows/test.yml", "utf8");
  const workflow = parse(text) as {
    permissions: Record<string, string>;
    jobs: Record<string, { strategy?: { matrix: { stage: string[] } }; steps: { run?: string }[] }>;
  };
  const commandsOf = (job: string) => workflow.jobs[job]?.steps.flatMap(({ run }) => run ?? []) ?? [];
  expect(commandsOf("test").slice(-2)).toEqual(["npm ci", `npm test -- \${{ matrix.stage }}`]);
  const shards = Object.groupBy(
    (workflow.jobs["test"]?.strategy?.matrix.stage ?? []).map((stage) => stage.split(" --shard=")),
    ([stage = ""]) => stage,
  );
  const [, stages = ""] = readFileSync("scripts/test.ts", "utf8").match(/^const stages:.*?\n(.*?)^\};/ms) ?? [];
  expect(Object.keys(shards).toSorted()).toEqual(
    [...stages.matchAll(/^ {2}(\w+): \{/gm)].map(([, stage]) => stage).toSorted(),
  );
  for (const [stage, parts = []] of Object.entries(shards)) {
    const all = parts.length === 1 ? [[stage]] : parts.map((_, index) => [stage, `${index + 1}/${parts.length}`]);
    expect(parts).toEqual(all);
  }
  expect(workflow.permissions).toEqual({ contents: "read" });
  const commands = Object.keys(workflow.jobs).flatMap(commandsOf).join("\n");
  expect(commands).not.toMatch(/publish|secrets\./);
});

test("Dependabot watches every folder with a lock file", () => {
  const { updates } = parse(readFileSync(".github/dependabot.yml", "utf8")) as {
    updates: { "package-ecosystem": string; directories?: string[] }[];
  };
  const npm = updates.find((one) => one["package-ecosystem"] === "npm");
  const locked = execFileSync("git", ["ls-files", "*package-lock.json"], { encoding: "utf8" }).trim().split("\n");
  expect(npm?.directories?.toSorted()).toEqual(locked.map((file) => `/${dirname(file)}`.replace("/.", "/")).toSorted());
});
