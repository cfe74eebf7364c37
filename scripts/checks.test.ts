import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import sandbox from "../lib/contract/examples/sandbox.json" with { type: "json" };
import { type FakeServer, startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { reportPage, reportText } from "./check-report.ts";

const [rule] = sandbox.CheckReport.rules;
const broken = {
  ...sandbox.CheckReport,
  summary: { kept: 0, broken: 1, not_seen: 0, advice_broken: 0 },
  rules: [{ ...rule, state: "broken", title: "Sends <a> state" }],
};

let fake: FakeServer;
const folder = mkdtempSync(join(tmpdir(), "checks-"));
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(async () => {
  await fake.stop();
  rmSync(folder, { recursive: true });
});

const credentials = ["--client-id", "some-client", "--client-secret", "s&cret"];

test("0: none is broken; the report is text, JSON and a page", async () => {
  fake.answer((_request, response) => response.end(JSON.stringify(sandbox.CheckReport)));
  const [json, html] = [join(folder, "report.json"), join(folder, "report.html")];
  const outcome = await run(["--base-url", fake.url, ...credentials, "--after", "7", "--json", json, "--html", html]);
  expect(outcome).toMatchObject({ status: 0, stdout: expect.stringContaining("1 kept, 0 broken") });
  expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(sandbox.CheckReport);
  expect(readFileSync(html, "utf8")).toBe(reportPage(sandbox.CheckReport as never));
  const request = fake.requests.at(-1);
  expect(request?.path).toBe("/sandbox/checks?after=7");
  const [id, secret] = Buffer.from(request?.headers.authorization?.slice("Basic ".length) ?? "", "base64")
    .toString()
    .split(":");
  expect([id, decodeURIComponent(secret ?? "")]).toEqual(["some-client", "s&cret"]);
});

test("1: a rule is broken, which says what to do", async () => {
  fake.answer((_request, response) => response.end(JSON.stringify(broken)));
  const outcome = await run(["--base-url", fake.url, ...credentials]);
  expect(outcome.status).toBe(1);
  expect(outcome.stdout).toContain("BROKEN    state-present");
  expect(outcome.stdout).toContain(`state-present: ${rule?.what_to_do}`);
});

test.each([
  ["nothing is given", () => []],
  ["an option is unknown", () => ["--base-url", fake.url, ...credentials, "--quiet"]],
  ["no server answers", () => ["--base-url", "http://127.0.0.1:1", ...credentials]],
  ["the answer is a refusal", () => ["--base-url", fake.url, ...credentials]],
])("2: %s", async (_, options) => {
  fake.answer((_request, response) => response.writeHead(404).end("{}"));
  const outcome = await run(options());
  expect(outcome).toMatchObject({ status: 2, stdout: "" });
  expect(outcome.stderr).not.toBe("");
});

test("2: the answer is no report", async () => {
  fake.answer((_request, response) => response.end('{"rules":[]}'));
  expect(await run(["--base-url", fake.url, ...credentials])).toMatchObject({ status: 2 });
});

test("what a report holds is text on the page, and advice is no failure", () => {
  const page = reportPage(broken as never);
  expect(page).toContain("Sends &lt;a&gt; state");
  expect(page).not.toContain("Sends <a>");
  const advice = { ...broken, rules: [{ ...rule, state: "broken", is_advice: true }] };
  expect(reportText(advice as never)).toContain("advice    state-present");
});

function run(options: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["scripts/run.mjs", "scripts/checks.ts", ...options]);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
