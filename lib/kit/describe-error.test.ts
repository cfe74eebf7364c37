import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeError, sentenceOf } from "./describe-error.ts";
import { log } from "./log.ts";

test("an error's code is in the log line, where a field named code would be redacted", () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "test.log");
  process.env["LOG_FILE"] = file;
  process.env["LOG_LEVEL"] = "info";
  const refused = Object.assign(new Error("duplicate key"), { code: "23505" });
  log().error({ code: "canary", error: describeError(refused) }, "a request failed unexpectedly");
  const line = readFileSync(file, "utf8");
  expect(line).toContain("23505");
  expect(line).not.toContain("canary");
});

test("a failed query is described by statement and code, without parameters", () => {
  const cause = Object.assign(new Error("deadlock detected"), { code: "40P01" });
  const failed = Object.assign(new Error("Failed query: select $1 params: canary", { cause }), {
    query: "select $1",
    params: ["canary"],
  });
  const described = describeError(failed);
  expect(described).toMatchObject({ message: "deadlock detected", errorCode: "40P01", query: "select $1" });
  expect(JSON.stringify(described)).not.toContain("canary");
  expect(sentenceOf(failed)).toBe("deadlock detected");
});

test("an aggregate error names the cause of each attempt, and no sentence is empty", () => {
  const attempts = new AggregateError([new Error("connect ECONNREFUSED ::1:5432"), new Error("connect ETIMEDOUT")]);
  expect(sentenceOf(attempts)).toBe("connect ECONNREFUSED ::1:5432; connect ETIMEDOUT");
  expect(sentenceOf(new TypeError())).toBe("TypeError");
  expect(sentenceOf("thrown")).not.toBe("");
});
