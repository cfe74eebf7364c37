import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { log } from "./log.ts";

test("secrets and personal data do not reach a log line, one, two or three levels deep", () => {
  const file = join(mkdtempSync(join(tmpdir(), "gangway-log-")), "test.log");
  process.env["LOG_FILE"] = file;
  process.env["LOG_LEVEL"] = "info";
  log().info(
    {
      ssn: "canary-1",
      body: { access_token: "canary-2", person: { phone: "canary-3", email: "canary-4" } },
      headers: { authorization: "canary-5", cookie: "canary-6" },
      requestId: "kept",
    },
    "a request",
  );
  const line = readFileSync(file, "utf8");
  expect(line).not.toContain("canary");
  expect(line).toContain("kept");
});
