// `npm run -s mcp` and `npx plainbook mcp`: the sandbox as tools for an assistant, by the Model Context Protocol on stdio.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";
import { checkReport, drillList } from "../lib/contract/sandbox-checks.ts";
import { packageVersion } from "../lib/kit/package-version.ts";
import { requireEvent } from "./check-report.ts";
import { createDrillCaller } from "./drill-calls.ts";
import { giveUp, readOptions } from "./sandbox-caller.ts";

const usage = "mcp --base-url http://127.0.0.1:4000 --client-id … --client-secret …";

const { positionals, callSandbox } = readOptions({}, usage);
if (positionals.length > 0) giveUp(usage);

const drillCaller = createDrillCaller(callSandbox);
const eventId = z.string().regex(/^\d+$/).optional();
const server = new McpServer(
  { name: "plainbook", version: packageVersion },
  {
    instructions:
      "Point the app at the sandbox, start a drill, do what it says in the app, and run the checks after the drill's first " +
      "event. A rule that isn't seen has a drill. Read /llms.txt of the sandbox before writing an integration.",
  },
);

server.registerTool(
  "list_drills",
  { description: "Lists the drills: what each breaks, and what a good app does." },
  async () => {
    const { drills } = drillList.parse(await callSandbox("GET", "/sandbox/drills"));
    return answer(drills.map(({ id, title, broken, good_client }) => ({ id, title, broken, good_client })));
  },
);

server.registerTool(
  "start_drill",
  {
    description:
      "Makes a drill's sandbox calls until the app must do something, and says what. Then call again with " +
      "`step` set to next_step; with no next_step left, run the checks after the event that is returned.",
    inputSchema: z.strictObject({ name: z.string(), step: z.int().min(0).default(0) }),
  },
  async ({ name, step }) => {
    const { drills } = drillList.parse(await callSandbox("GET", "/sandbox/drills"));
    const drill = drills.find(({ id }) => id === name);
    if (!drill) throw new Error(`There is no drill ${name}.`);
    if (step > drill.steps.length) throw new Error(`${name} has no step ${step}.`);
    if (step === 0) await drillCaller.clearFaults();
    const after = step === 0 ? { after: (await readReport()).last_event ?? "0" } : {};
    const calls: string[] = [];
    for (const [index, nextStep] of drill.steps.entries()) {
      if (index < step) continue;
      if ("do" in nextStep) return answer({ ...after, calls, do_in_your_app: nextStep.do, next_step: index + 1 });
      calls.push(await drillCaller.make(nextStep.call));
    }
    return answer({ ...after, calls, rules: drill.expect, proof: drill.proof });
  },
);

server.registerTool(
  "read_timeline",
  {
    description: "Reads what the sandbox recorded about the client, oldest first: calls, webhooks, visits, refusals.",
    inputSchema: { after: eventId, limit: z.int().min(1).max(100).default(50) },
  },
  async ({ after = "0", limit }) => answer(await callSandbox("GET", `/sandbox/events?after=${after}&limit=${limit}`)),
);

server.registerTool(
  "advance_clock",
  {
    description: "Moves the client's clock forward, so that tokens expire and transfers settle.",
    inputSchema: { seconds: z.int().min(1) },
  },
  async ({ seconds }) => answer(await callSandbox("POST", "/sandbox/clock/advance", { seconds })),
);

server.registerTool(
  "run_checks",
  {
    description: "Judges the app by what was recorded: rules kept, broken or not seen, and what to do about each.",
    inputSchema: { after: eventId },
  },
  async ({ after }) => {
    const report = await readReport(after);
    requireEvent(after, report);
    return answer(report);
  },
);

await server.connect(new StdioServerTransport());
process.stdin.once("end", drillCaller.clearFaults);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void drillCaller.clearFaults().finally(() => process.exit()));
}

async function readReport(after?: string) {
  return checkReport.parse(await callSandbox("GET", `/sandbox/checks${after === undefined ? "" : `?after=${after}`}`));
}

function answer(value: unknown) {
  return { content: [{ type: "text" as const, text: JSON.stringify(value, null, 2) }] };
}
