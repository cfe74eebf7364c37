import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import sandbox from "../lib/contract/examples/sandbox.json" with { type: "json" };
import { type FakeServer, startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { makeDrillCall } from "./drill-calls.ts";

const [rule] = sandbox.CheckReport.rules;
const drill = {
  ...sandbox.DrillList.drills[0],
  id: "clock-moves",
  steps: [
    { do: "Open a page of your app." },
    { call: { method: "POST", path: "/sandbox/clock/advance", body: { seconds: 120 } } },
    { do: "Start to authorize." },
  ],
  expect: [rule?.id],
};
const faultyDrill = {
  ...drill,
  id: "webhooks-held",
  steps: [
    { call: { method: "PUT", path: "/sandbox/webhook_faults", body: { kind: "withhold", times: 1000 } } },
    { do: "Pay a seller." },
  ],
};

let fake: FakeServer;
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(() => fake.stop());

/** The report gives the rule this state once the sandbox call was made. */
function answer(state: "kept" | "broken"): void {
  fake.requests.length = 0;
  fake.answer(({ path }, response) => {
    const wasCalled = fake.requests.some(({ method }) => method !== "GET");
    const rules = [{ ...rule, state: wasCalled ? state : "not_seen", evidence: [] }];
    const body =
      path === "/sandbox/drills"
        ? { drills: [drill, faultyDrill] }
        : { ...sandbox.CheckReport, last_event: "7", rules };
    response.end(JSON.stringify(body));
  });
}

test("without a name, lists the drills", async () => {
  answer("kept");
  expect(await run([])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^clock-moves +\S/) });
});

test.each([
  [0, "kept"],
  [1, "broken"],
] as const)("%i: runs the drill's calls between manual steps, and the rule is %s", async (status, state) => {
  answer(state);
  const outcome = await run(["clock-moves"]);
  expect(outcome).toMatchObject({ status, stdout: expect.stringContaining("Start to authorize.") });
  expect(outcome.stdout).toContain(state === "kept" ? `Passed: ${drill.proof}` : `Broken: ${rule?.id}`);
  expect(fake.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/sandbox/drills", ""],
    ["GET", "/sandbox/checks", ""],
    ["POST", "/sandbox/clock/advance", '{"seconds":120}'],
    ["GET", "/sandbox/checks?after=7", ""],
  ]);
});

test("a rotated secret is shown, because nothing shows it later", async () => {
  const rotation = { method: "POST", path: "/sandbox/webhook_endpoint/rotate" } as const;
  expect(await makeDrillCall(async () => ({ webhook_secret: "whsec_new" }), rotation)).toContain("whsec_new");
});

test.each([
  ["isn't answered", ""],
  ["has a cut answer", '{"now":'],
])("2: a sandbox call %s, and may have been made", async (_, part) => {
  fake.answer(({ path }, response) => {
    if (path !== "/sandbox/clock/advance") {
      response.end(JSON.stringify(path === "/sandbox/drills" ? { drills: [drill] } : sandbox.CheckReport));
    } else if (part === "") response.destroy();
    else response.writeHead(200, { "content-length": 99 }).write(part, () => response.destroy());
  });
  const outcome = await run(["clock-moves"]);
  expect(outcome.status).toBe(2);
  expect(outcome.stderr).toMatch(
    /^http:\S+ doesn't answer POST \/sandbox\/clock\/advance, which may or may not have gone through: .+\n$/,
  );
});

test("2: there's no such drill", async () => {
  answer("kept");
  expect(await run(["clock-move"])).toMatchObject({ status: 2, stderr: "There is no drill clock-move.\n" });
});

test("2: standard input ends before the drill does", async () => {
  answer("kept");
  const outcome = await run(["clock-moves"], { answers: "" });
  expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining("Standard input ended") });
});

test.each([
  [0, "is over", {}],
  [2, "ends with standard input", { answers: "" }],
  [2, "is interrupted", { signal: "SIGINT" }],
] as const)("%i: a drill that %s removes the faults that it set", async (status, _, options) => {
  answer("kept");
  expect(await run(["webhooks-held"], options)).toMatchObject({ status });
  expect(fake.requests.filter(({ path }) => path === "/sandbox/webhook_faults").map(({ method }) => method)).toEqual([
    "PUT",
    "DELETE",
  ]);
});

test("2: an option is unknown, and named", async () => {
  expect(await run(["--quiet"])).toMatchObject({ status: 2, stderr: expect.stringContaining("'--quiet'") });
});

/** Presses Enter at each question, ends standard input after `answers`, or sends a signal at the first question. */
function run(
  words: string[],
  { answers, signal }: { answers?: string; signal?: NodeJS.Signals } = {},
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const options = ["--base-url", fake.url, "--client-id", "some-client", "--client-secret", "secret"];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["scripts/run.mjs", "scripts/drills.ts", ...words, ...options]);
    if (answers !== undefined) child.stdin.end(answers);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
      if (!String(chunk).includes("press Enter") || answers !== undefined) return;
      if (signal) child.kill(signal);
      else child.stdin.write("\n");
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
