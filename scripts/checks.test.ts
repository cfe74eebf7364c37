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

test("0: no rule is broken; the report is text, JSON and a page", async () => {
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

test("1: a rule is broken, and the report says what to do", async () => {
  fake.answer((_request, response) => response.end(JSON.stringify(broken)));
  const outcome = await run(["--base-url", fake.url, ...credentials]);
  expect(outcome.status).toBe(1);
  expect(outcome.stdout).toContain("BROKEN    state-present");
  expect(outcome.stdout).toContain(`state-present: ${rule?.what_to_do}`);
});

const notSeen = { ...rule, id: "state-unguessable", state: "not_seen", evidence: [] };
const unseen = { ...sandbox.CheckReport, rules: [rule, notSeen] };
const drill = { ...sandbox.DrillList.drills[0], id: "two-visits", expect: [notSeen.id] };

function answerAll(report: object): void {
  const [event] = sandbox.EventPage.events;
  fake.answer(({ path }, response) => {
    const body = path.startsWith("/sandbox/events")
      ? { ...sandbox.EventPage, events: [{ ...event, id: "12", status: 400, reason: "validation_failed" }] }
      : path === "/sandbox/drills"
        ? { drills: [drill] }
        : report;
    response.end(JSON.stringify(body));
  });
}

test.each([
  [0, "nothing more is asked", []],
  [1, "--strict", ["--strict"]],
  [1, "its drill is required", ["--require-drill", "two-visits"]],
  [2, "an unknown drill is required", ["--require-drill", "two-visit"]],
])("%i: a rule wasn't seen, and %s", async (status, _, options) => {
  answerAll(unseen);
  expect(await run(["--base-url", fake.url, ...credentials, ...options])).toMatchObject({ status });
});

test("a broken rule's requests are named with time, method, path and status, as text, JUnit and SARIF", async () => {
  answerAll({ ...broken, rules: [{ ...rule, state: "broken", evidence: ["12"] }, notSeen] });
  const [junit, sarif] = [join(folder, "junit.xml"), join(folder, "report.sarif")];
  const outcome = await run(["--base-url", fake.url, ...credentials, "--junit", junit, "--sarif", sarif]);
  const [event] = sandbox.EventPage.events;
  const line = `${event?.at} event 12: ${event?.method} ${event?.path} 400 validation_failed`;
  expect(outcome.stdout).toContain(line);
  expect(readFileSync(junit, "utf8")).toContain('tests="2" failures="1" skipped="1"');
  expect(readFileSync(junit, "utf8")).toContain(line);
  const { runs } = JSON.parse(readFileSync(sarif, "utf8"));
  expect(runs[0].results).toMatchObject([
    {
      ruleId: rule?.id,
      level: "error",
      message: { text: expect.stringContaining(line) },
      locations: [{ logicalLocations: [{ fullyQualifiedName: `${event?.method} ${event?.path}` }] }],
    },
  ]);
});

test("1: a rule is broken, and its requests can't be read", async () => {
  fake.answer(({ path }, response) => {
    if (path.startsWith("/sandbox/events")) response.writeHead(503);
    response.end(JSON.stringify(broken));
  });
  const outcome = await run(["--base-url", fake.url, ...credentials]);
  expect(outcome).toMatchObject({ status: 1, stdout: expect.stringContaining("BROKEN    state-present") });
});

test.each([
  ["nothing is given", () => []],
  ["a report's file has no name", () => ["--base-url", fake.url, ...credentials, "--junit", ""]],
  ["an option is unknown", () => ["--base-url", fake.url, ...credentials, "--quiet"]],
  ["no server answers", () => ["--base-url", "http://127.0.0.1:1", ...credentials]],
  ["the response is a refusal", () => ["--base-url", fake.url, ...credentials]],
])("2: %s", async (_, options) => {
  fake.answer(({ path }, response) =>
    path === "/sandbox/checks" && options().includes("--junit")
      ? response.end(JSON.stringify(sandbox.CheckReport))
      : response.writeHead(404).end("{}"),
  );
  const outcome = await run(options());
  expect(outcome).toMatchObject({ status: 2, stdout: "" });
  expect(outcome.stderr).not.toBe("");
});

test.each([
  ["its last event is older", "9", /^The sandbox has no event 10; its newest is 9\. .+\n$/],
  ["it has no events", null, /^The sandbox has no event 10; its newest is none\. .+\n$/],
])("2: the sandbox lost its record after the given event: %s", async (_, last_event, sentence) => {
  fake.answer((_request, response) => response.end(JSON.stringify({ ...sandbox.CheckReport, last_event })));
  const outcome = await run(["--base-url", fake.url, ...credentials, "--after", "10"]);
  expect(outcome).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(sentence) });
});

test("0: --help prints the options", async () => {
  expect(await run(["--help"])).toMatchObject({ status: 0, stdout: expect.stringContaining("--require-drill NAME") });
});

test("2: the response isn't a report", async () => {
  fake.answer((_request, response) => response.end('{"rules":[]}'));
  expect(await run(["--base-url", fake.url, ...credentials])).toMatchObject({ status: 2 });
});

test("the page escapes the report's content, and advice isn't a failure", () => {
  const page = reportPage(broken as never);
  expect(page).toContain("Sends &lt;a&gt; state");
  expect(page).not.toContain("Sends <a>");
  const advice = { ...broken, rules: [{ ...rule, state: "broken", is_advice: true }] };
  expect(reportText(advice as never, { failures: new Map(), evidence: new Map() })).toContain(
    "advice    state-present",
  );
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
