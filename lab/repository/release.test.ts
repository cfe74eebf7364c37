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

test("the workflow runs the README's two commands in order, can only read, and publishes nothing", () => {
  const text = readFileSync(".github/workflows/test.yml", "utf8");
  const workflow = parse(text) as {
    permissions: Record<string, string>;
    jobs: Record<string, { steps: { run?: string }[] }>;
  };
  const commands = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(commands.filter((command) => /^npm (?:ci|test)$/.test(command))).toEqual(["npm ci", "npm test"]);
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(commands.join("\n")).not.toMatch(/publish|secrets\./);
});

test("Dependabot watches every folder with a lock file", () => {
  const { updates } = parse(readFileSync(".github/dependabot.yml", "utf8")) as {
    updates: { "package-ecosystem": string; directories?: string[] }[];
  };
  const npm = updates.find((one) => one["package-ecosystem"] === "npm");
  const locked = execFileSync("git", ["ls-files", "*package-lock.json"], { encoding: "utf8" }).trim().split("\n");
  expect(npm?.directories?.toSorted()).toEqual(locked.map((file) => `/${dirname(file)}`.replace("/.", "/")).toSorted());
});
