import { setTimeout as pause } from "node:timers/promises";
import type { RuleState } from "../../contract/sandbox-checks.ts";
import type { SandboxEvent } from "../../contract/sandbox-events.ts";
import { allRules } from "./checks/all-rules.ts";
import { historyInSteps } from "./checks/history.ts";
import { type Findings, type Rule, verdictOf } from "./checks/rule.ts";
import { allDrills } from "./drills/all-drills.ts";
import { readAllEvents } from "./events/list-events.ts";

export type JudgedRule = { rule: Rule; state: RuleState; evidence: string[]; drillIds: string[] };

export type Checks = { judgedAt: Date; eventsCount: number; lastEvent: string | null; rules: JudgedRule[] };

/**
 * Judges a client by its whole record. With `after`, only later events count, with earlier ones as context. Decision D21
 */
export async function readChecks(clientId: string, { after }: { after: number | undefined }): Promise<Checks> {
  const { judgedAt, ids, findings } = await judgeInTurn(clientId);
  return {
    judgedAt,
    eventsCount: ids.filter((id) => Number(id) > (after ?? 0)).length,
    lastEvent: ids.at(-1) ?? null,
    rules: findings.map(({ rule, found }) => {
      const verdict = verdictOf(found, { after: after ?? 0 });
      return {
        rule,
        state: verdict.state,
        evidence: verdict.state === "not_seen" ? [] : verdict.evidence,
        drillIds: allDrills.filter((drill) => drill.expect.includes(rule.id)).map(({ id }) => id),
      };
    }),
  };
}

type Judgment = { judgedAt: Date; ids: string[]; findings: { rule: Rule; found: Findings }[] };

// One record in memory at a time. Concurrent calls for the same client share a judgment.
const waiting = new Map<string, Promise<Judgment>>();
let last: Promise<unknown> = Promise.resolve();

function judgeInTurn(clientId: string): Promise<Judgment> {
  const shared = waiting.get(clientId);
  if (shared) return shared;
  const judgment = last.then(() => {
    waiting.delete(clientId);
    return judge(clientId);
  });
  waiting.set(clientId, judgment);
  last = judgment.catch(() => {});
  return judgment;
}

async function judge(clientId: string): Promise<Judgment> {
  const events = await readAllEvents(clientId);
  const judgedAt = new Date();
  const findings = await inSlices(judgeInSteps(events, judgedAt));
  return { judgedAt, ids: events.map(({ id }) => id), findings };
}

function* judgeInSteps(events: readonly SandboxEvent[], until: Date): Generator<undefined, Judgment["findings"]> {
  const history = yield* historyInSteps(events, { until });
  const findings: Judgment["findings"] = [];
  for (const rule of allRules) {
    findings.push({ rule, found: rule.judge(history) });
    yield;
  }
  return findings;
}

// Work is sliced so that other requests are delayed by at most this long, or by one step.
const sliceMs = 5;
const pauseMs = 1;

/** Runs work in steps and yields to other requests every `sliceMs`. */
async function inSlices<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  let sinceMs = performance.now();
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    if (performance.now() - sinceMs < sliceMs) continue;
    await pause(pauseMs);
    sinceMs = performance.now();
  }
  return step.value;
}
