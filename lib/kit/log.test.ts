import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hideInLog, log } from "./log.ts";

const file = join(mkdtempSync(join(tmpdir(), "gangway-log-")), "test.log");
process.env["LOG_FILE"] = file;
process.env["LOG_LEVEL"] = "info";

test("secrets and personal data do not reach a log line, one, two or three levels deep", () => {
  hideInLog(["ssn", "phone", "email"]);
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

test("a field that is hidden after the first line is hidden from then on, and the others stay hidden", () => {
  log().info({ shoeSize: "seen" });
  hideInLog(["shoeSize"]);
  log().info({ shoeSize: "canary-7", ssn: "canary-8", secret: "canary-9" });
  const lines = readFileSync(file, "utf8");
  expect(lines).toContain("seen");
  expect(lines).not.toContain("canary");
});
