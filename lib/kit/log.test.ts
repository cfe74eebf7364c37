import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { hideInLog, log } from "./log.ts";

const folder = mkdtempSync(join(tmpdir(), "gangway-log-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "test.log");
process.env["LOG_FILE"] = file;
process.env["LOG_LEVEL"] = "info";

test("secrets and personal data do not reach a log line, one, two or three levels deep", async () => {
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
  await turn();
  const line = readFileSync(file, "utf8");
  expect(line).not.toContain("canary");
  expect(line).toContain("kept");
});

test("a field that is hidden after the first line is hidden from then on, and the others stay hidden", async () => {
  log().info({ shoeSize: "seen" });
  hideInLog(["shoeSize"]);
  log().info({ shoeSize: "canary-7", ssn: "canary-8", secret: "canary-9" });
  await turn();
  const lines = readFileSync(file, "utf8");
  expect(lines).toContain("seen");
  expect(lines).not.toContain("canary");
});

test("an error is logged with its name and message, and its frames", () => {
  log().error({ error: new TypeError("what went wrong"), description: "text stays" }, "it failed");
  log().error({ error: "a text" });
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .slice(-2)
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { error: { name: "TypeError", message: "what went wrong", frames: expect.any(Array) }, description: "text stays" },
    { error: "a text" },
  ]);
});

test("a warning is in the file at once, and with it what was logged before", () => {
  log().info("first");
  log().warn("second");
  expect(messagesIn(file).slice(-2)).toEqual(["first", "second"]);
});

test.each([
  ["ends by itself", ""],
  ["exits", "process.exit(0);"],
  ["fails", "throw new Error('unexpected');"],
])("nothing is lost when a process %s in the turn of the line", (name, ending) => {
  const path = join(folder, `${name}.log`);
  const program = `const { log } = await import("./lib/kit/log.ts"); log().info("the last line"); ${ending}`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, LOG_FILE: path, LOG_LEVEL: "info" },
    encoding: "utf8",
  });
  expect(messagesIn(path), stderr).toEqual(["the last line"]);
});

function messagesIn(path: string): unknown[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { msg?: unknown }).msg);
}
