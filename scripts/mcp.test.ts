import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import sandbox from "../lib/contract/examples/sandbox.json" with { type: "json" };
import { type FakeServer, startFakeServer } from "../lib/kit/testing/fake-server.ts";

// The SDK's own client talks to the command, which calls a stand-in sandbox.
const advance = { method: "POST", path: "/sandbox/clock/advance", body: { seconds: 120 } };
const drill = {
  ...sandbox.DrillList.drills[0],
  id: "clock-moves",
  steps: [{ call: advance }, { do: "Open a page of your app." }, { call: advance }],
};

const faults = { method: "PUT", path: "/sandbox/webhook_faults", body: { kind: "withhold", times: 1000 } };
const faultyDrill = { ...drill, id: "webhooks-held", steps: [{ call: faults }, { do: "Pay a seller." }] };

let fake: FakeServer;
let client: Client;
beforeAll(async () => {
  fake = await startFakeServer();
  fake.answer(({ path }, response) => {
    const answers: Record<string, object> = {
      "/sandbox/drills": { drills: [drill, faultyDrill] },
      "/sandbox/checks": { ...sandbox.CheckReport, last_event: "7" },
      "/sandbox/checks?after=7": { ...sandbox.CheckReport, last_event: "9" },
      "/sandbox/checks?after=10": { ...sandbox.CheckReport, last_event: "9" },
      "/sandbox/events?after=7&limit=50": { events: [] },
      "/sandbox/clock/advance": sandbox.Clock,
      "/sandbox/webhook_faults": {},
    };
    response.writeHead(path in answers ? 200 : 404).end(JSON.stringify(answers[path] ?? {}));
  });
  client = await connect();
});
afterAll(async () => {
  await client.close();
  await fake.stop();
});

test("offers five tools, each described", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "list_drills",
    "start_drill",
    "read_timeline",
    "advance_clock",
    "run_checks",
  ]);
  expect(tools.filter(({ description }) => !description)).toEqual([]);
});

test("a drill makes its calls up to the app's step, and continues from there", async () => {
  expect(await call("list_drills")).toMatchObject([{ id: "clock-moves" }, { id: "webhooks-held" }]);
  fake.requests.length = 0;
  const first = await call("start_drill", { name: "clock-moves" });
  expect(first).toMatchObject({ after: "7", do_in_your_app: "Open a page of your app.", next_step: 2 });
  expect(advances()).toBe(1);
  expect(await call("start_drill", { name: "clock-moves", step: 2 })).toEqual({
    calls: ['POST /sandbox/clock/advance {"seconds":120}'],
    rules: drill.expect,
    proof: drill.proof,
  });
  expect(advances()).toBe(2);
});

test("the timeline, clock and checks tools return the sandbox's responses", async () => {
  expect(await call("read_timeline", { after: "7" })).toEqual({ events: [] });
  expect(await call("advance_clock", { seconds: 60 })).toEqual(sandbox.Clock);
  expect(await call("run_checks", { after: "7" })).toMatchObject({ last_event: "9" });
});

test("an invalid argument and a refusal each return one sentence", async () => {
  expect(await refusal("start_drill", { name: "no-drill" })).toBe("There is no drill no-drill.");
  expect(await refusal("start_drill", { name: "clock-moves", step: 4 })).toBe("clock-moves has no step 4.");
  expect(await refusal("start_drill", { name: "clock-moves", next_step: 2 })).toContain("next_step");
  expect(await refusal("advance_clock", { seconds: 0 })).toContain("seconds");
  expect(await refusal("run_checks", { after: "10" })).toContain("The sandbox has no event 10");
  expect(await refusal("run_checks", { after: "8" })).toContain("answers GET /sandbox/checks?after=8 with 404");
});

test("a drill's faults are removed when another drill starts, or the connection ends", async () => {
  const other = await connect();
  const start = (name: string) => other.callTool({ name: "start_drill", arguments: { name } });
  fake.requests.length = 0;
  for (const name of ["webhooks-held", "clock-moves", "webhooks-held"]) await start(name);
  expect(faultCalls()).toEqual(["PUT", "DELETE", "PUT"]);
  await other.close();
  await expect.poll(faultCalls).toEqual(["PUT", "DELETE", "PUT", "DELETE"]);
});

async function connect(): Promise<Client> {
  const options = ["--base-url", fake.url, "--client-id", "some-client", "--client-secret", "secret"];
  const args = ["package/plainbook.mjs", "mcp", ...options];
  const connected = new Client({ name: "test", version: "1" });
  await connected.connect(new StdioClientTransport({ command: process.execPath, args }));
  return connected;
}

const faultCalls = () => fake.requests.filter(({ path }) => path === faults.path).map(({ method }) => method);
const advances = () => fake.requests.filter(({ path }) => path === advance.path).length;

type Content = { type: string; text: string }[];

async function call(name: string, given: Record<string, unknown> = {}): Promise<unknown> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [{ text }] = content as [Content[number]];
  expect(isError, text).toBeFalsy();
  return JSON.parse(text);
}

async function refusal(name: string, given: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  expect(isError).toBe(true);
  return (content as [Content[number]])[0].text;
}
