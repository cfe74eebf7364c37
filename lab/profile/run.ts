import { parseArgs } from "node:util";
import { cpuSecondsOfCluster } from "../bench/processes/cpu.ts";
import { untilSettled } from "../bench/service/settled.ts";
import { profileJobs, startProfileStack } from "./profile-stack.ts";
import type { ProcessUsage } from "./record-profile.ts";
import { sendRequests } from "./send-requests.ts";
import { type CpuProfile, summarizeProfile, topCosts } from "./summarize-profile.ts";

// `npm run profile -- booking` loads one process of the service and prints its self time. `-- user --requests 1000000` prints
// memory, and CPU time per request for the process and PostgreSQL, which don't depend on other load. Settlement work counts too.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "8" },
    connections: { type: "string", default: "32" },
    requests: { type: "string" },
  },
});
const jobName = profileJobs.find((name) => name === (positionals[0] ?? "booking"));
if (!jobName) {
  console.error(`Profile one of ${profileJobs.join(", ")}.`);
  process.exit(2);
}
const connections = Number(values.connections);

const stack = await startProfileStack(jobName);
try {
  await sendRequests({ ...stack.load, connections, seconds: 3 });
  await (values.requests ? showUsage(Number(values.requests)) : showCosts(Number(values.seconds)));
} finally {
  await stack.stop();
}

async function showCosts(seconds: number): Promise<void> {
  await stack.process.ask("record");
  const sent = await sendRequests({ ...stack.load, connections, seconds });
  const { profile, file } = await stack.process.ask<{ profile: CpuProfile; file: string }>("save");
  const { idleShare, groups, functions, ours } = summarizeProfile(profile);
  console.log(`${jobName}: ${Math.round(sent.answered / seconds)} requests a second on ${connections} connections`);
  console.log(`Answers: ${describeStatuses(sent.statuses)}. Idle ${percent(idleShare)}; shares are of the rest.`);
  for (const [title, costs] of Object.entries({ "by package": groups, "by function": functions })) {
    console.log(`\n${title}, self time`);
    for (const { name, share } of topCosts(costs, 10)) console.log(`${percent(share).padStart(7)}  ${name}`);
  }
  console.log("\nby function of this project, with all that it calls");
  for (const { name, share } of topCosts(ours, 20)) console.log(`${percent(share).padStart(7)}  ${name}`);
  console.log(`\n${file} opens in the developer tools of a browser.`);
}

async function showUsage(requests: number): Promise<void> {
  const step = Math.min(requests, 100_000);
  let before = await stack.process.ask<ProcessUsage>("usage");
  await untilSettled();
  let postgresBefore = cpuSecondsOfCluster(stack.postgresPid);
  for (let sent = step; sent <= requests; sent += step) {
    const { statuses, seconds } = await sendRequests({ ...stack.load, connections, requests: step });
    await untilSettled();
    const after = await stack.process.ask<ProcessUsage>("usage");
    const postgresAfter = cpuSecondsOfCluster(stack.postgresPid);
    const { rss, heapTotal, heapUsed } = after.memory;
    const memory = Object.entries({ rss, heapTotal, heapUsed }).map(
      ([name, bytes]) => `${name} ${megabytes(bytes)} MB`,
    );
    const cpu = Math.round((cpuOf(after) - cpuOf(before)) / step);
    const rate = Math.round(step / seconds);
    const postgresCpu = Math.round(((postgresAfter - postgresBefore) * 1e6) / step);
    const each = `CPU ${cpu} us each, PostgreSQL ${postgresCpu} us`;
    console.log(`${sent} requests: ${memory.join(", ")}; ${each}; ${rate}/s; ${describeStatuses(statuses)}`);
    [before, postgresBefore] = [after, postgresAfter];
  }
}

function cpuOf({ cpu }: ProcessUsage): number {
  return cpu.user + cpu.system;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

function describeStatuses(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${count} times ${status}`).join(", ");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
