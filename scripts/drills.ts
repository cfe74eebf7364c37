// `npm run drills` and `npx plainbook drills`: lists the drills, or runs one with the person at the terminal. Decision D21
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import { checkReport, type DrillRecord, drillList } from "../lib/contract/sandbox-checks.ts";
import { failuresIn } from "./check-report.ts";
import { createDrillCaller, type DrillCaller } from "./drill-calls.ts";
import { giveUp, readOptions } from "./sandbox-caller.ts";

const usage = `drills [NAME] --base-url http://127.0.0.1:4000 --client-id … --client-secret …
  without NAME, lists them; with it, makes the sandbox's calls, says what to do in your app, and reports`;

const { positionals, callSandbox } = readOptions({}, usage);
const [name, ...others] = positionals;
if (others.length > 0) giveUp(usage);
const waitMs = 30_000;

try {
  const { drills } = drillList.parse(await callSandbox("GET", "/sandbox/drills"));
  if (name === undefined) {
    for (const { id, title } of drills) console.log(`${id.padEnd(34)} ${title}`);
  } else {
    process.exitCode = await runDrill(drills.find(({ id }) => id === name) ?? giveUp(`There is no drill ${name}.`));
  }
} catch (error) {
  giveUp(error instanceof Error ? error.message : String(error));
}

async function runDrill(drill: DrillRecord): Promise<0 | 1> {
  console.log(`${drill.title}\n  ${drill.broken}\n  A good app: ${drill.good_client}\n`);
  const after = (await readReport("")).last_event ?? "0";
  const drillCaller = createDrillCaller(callSandbox);
  const stopping = new AbortController();
  const interrupt = () => stopping.abort(new Error("The drill was interrupted."));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, interrupt);
  try {
    await takeSteps(drill, drillCaller, stopping.signal);
    return await report(drill, after, stopping.signal);
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error;
  } finally {
    await drillCaller.clearFaults();
  }
}

async function takeSteps({ steps }: DrillRecord, { make }: DrillCaller, stopping: AbortSignal): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ends only a question: a drill may go on without more answers.
  const ended = new AbortController();
  const end = () => ended.abort(new Error("Standard input ended before the drill did: run it in a terminal."));
  const signal = AbortSignal.any([stopping, ended.signal]);
  terminal.once("close", end);
  // In a terminal, Ctrl-C is no signal while the interface is open.
  terminal.once("SIGINT", () => process.emit("SIGINT"));
  try {
    for (const step of steps) {
      stopping.throwIfAborted();
      if ("do" in step) await terminal.question(`${step.do}\n  Then press Enter. `, { signal });
      else console.log(await make(step.call));
    }
  } catch (error) {
    throw ended.signal.aborted && !stopping.aborted ? ended.signal.reason : error;
  } finally {
    terminal.off("close", end).close();
  }
}

/** Waits until the drill's rules are kept, one is broken, or time is up. */
async function report(drill: DrillRecord, after: string, signal: AbortSignal): Promise<0 | 1> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const judged = await readReport(`?after=${after}`);
    const failures = failuresIn(judged, { isStrict: false, drills: [drill] });
    if (failures.size === 0) console.log(`\nPassed: ${drill.proof}`);
    if (failures.size === 0) return 0;
    if ([...failures.values()].includes("Broken") || performance.now() > giveUpAt) {
      for (const { id, what_to_do } of judged.rules) {
        if (failures.has(id)) console.log(`\n${failures.get(id)}: ${id}\n  ${what_to_do}`);
      }
      return 1;
    }
    await pause(500, undefined, { signal });
  }
}

async function readReport(query: string) {
  return checkReport.parse(await callSandbox("GET", `/sandbox/checks${query}`));
}
