import { expect } from "@playwright/test";
import { limits } from "../lib/contract/limits.ts";
import { type CheckReport, checkReport, type DrillRecord, drillList } from "../lib/contract/sandbox-checks.ts";
import { eventPage } from "../lib/contract/sandbox-events.ts";
import { deliveryList } from "../lib/contract/sandbox-webhooks.ts";
import { callService } from "./service-api.ts";

/** Calls the sandbox as one client; throws on an error response. */
export type CallSandbox = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

export function sandboxOf({ serviceUrl }: { serviceUrl: string }, authorization: string): CallSandbox {
  return (method, path, body) => callService(serviceUrl, { authorization, method, path, ...(body && { body }) });
}

/** Makes a drill's sandbox calls and performs its manual steps in order. */
export async function performDrill(
  { steps }: DrillRecord,
  callSandbox: CallSandbox,
  manual: ((answers: Record<string, unknown>) => Promise<void>)[],
): Promise<void> {
  const answers: Record<string, unknown> = {};
  const left = [...manual];
  for (const step of steps) {
    if ("do" in step) await left.shift()?.(answers);
    else {
      const { method, path, body } = step.call;
      Object.assign(answers, await callSandbox(method, await fillIn(callSandbox, path), body));
    }
  }
}

/** Fills in the newest webhook's id, once it has arrived. */
async function fillIn(callSandbox: CallSandbox, path: string): Promise<string> {
  if (!path.includes("{webhook_id}")) return path;
  let id = "";
  await expect(async () => {
    const [newest] = deliveryList.parse(await callSandbox("GET", "/sandbox/webhooks")).webhooks;
    expect(newest?.status).toBe("delivered");
    id = newest?.id ?? "";
  }).toPass({ intervals: [100] });
  return path.replace("{webhook_id}", id);
}

/** Waits until a first webhook is withheld, so that removing the fault right afterwards still has an effect. */
export async function waitUntilWithheld(callSandbox: CallSandbox): Promise<void> {
  await expect(async () => {
    const { webhooks } = deliveryList.parse(await callSandbox("GET", "/sandbox/webhooks"));
    expect(webhooks.map(({ fault }) => fault)).toContain("withhold");
  }).toPass({ intervals: [100] });
}

/** Waits until both webhooks of the newest payment are delivered: a page may show its end before they are sent. */
export async function waitUntilDelivered(callSandbox: CallSandbox): Promise<void> {
  await expect(async () => {
    const { webhooks } = deliveryList.parse(await callSandbox("GET", "/sandbox/webhooks"));
    expect(webhooks.slice(0, 2).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
  }).toPass({ intervals: [100] });
}

/** Waits until the events since `after` keep every rule of the drill except those in `notSeen`, and break none. */
export async function expectPassed(
  callSandbox: CallSandbox,
  { expect: ids }: DrillRecord,
  after: string,
  { notSeen = {} }: { notSeen?: Record<string, string> } = {},
): Promise<void> {
  const expected = Object.fromEntries(ids.map((rule) => [rule, rule in notSeen ? "not_seen" : "kept"]));
  await expect(async () => {
    const report = await readReport(callSandbox, after);
    const states = new Map(report.rules.map((rule) => [rule.id, rule.state]));
    const seen = Object.fromEntries(ids.map((rule) => [rule, states.get(rule)]));
    expect({ broken: await brokenIn(callSandbox, report), seen }).toEqual({ broken: [], seen: expected });
  }).toPass({ intervals: [100] });
}

export async function expectNoneBroken(callSandbox: CallSandbox, after: string): Promise<void> {
  expect(await brokenIn(callSandbox, await readReport(callSandbox, after))).toEqual([]);
}

/** The broken rules with their evidence. */
async function brokenIn(callSandbox: CallSandbox, { rules }: CheckReport): Promise<unknown[]> {
  const broken = rules.filter(({ state }) => state === "broken");
  return Promise.all(
    broken.map(async ({ id, evidence }) => ({ id, evidence: await readEvents(callSandbox, evidence) })),
  );
}

async function readEvents(callSandbox: CallSandbox, ids: string[]): Promise<unknown[]> {
  if (ids.length === 0) return [];
  const { events } = eventPage.parse(await callSandbox("GET", `/sandbox/events?limit=${limits.eventsPageMax}`));
  return events.filter(({ id }) => ids.includes(id));
}

export async function readDrills(callSandbox: CallSandbox): Promise<DrillRecord[]> {
  return drillList.parse(await callSandbox("GET", "/sandbox/drills")).drills;
}

export async function findDrill(callSandbox: CallSandbox, id: string): Promise<DrillRecord> {
  const drill = (await readDrills(callSandbox)).find((one) => one.id === id);
  if (!drill) throw new Error(`No drill has the id ${id}.`);
  return drill;
}

export async function lastEvent(callSandbox: CallSandbox): Promise<string> {
  return (await readReport(callSandbox, "0")).last_event ?? "0";
}

async function readReport(callSandbox: CallSandbox, after: string): Promise<CheckReport> {
  return checkReport.parse(await callSandbox("GET", `/sandbox/checks?after=${after}`));
}

export async function endFaults(callSandbox: CallSandbox): Promise<void> {
  await callSandbox("DELETE", "/sandbox/faults");
  await callSandbox("DELETE", "/sandbox/webhook_faults");
}
