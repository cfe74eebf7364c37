import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, isDefiniteRefusal, isSuccess, startOf } from "../history.ts";
import { type Findings, mergeFindings, type Rule } from "../rule.ts";
import { indexFrom } from "../search.ts";

const retryAfterObeyed: Rule = {
  id: "retry-after-obeyed",
  title: "Waits as long as retry-after says",
  clauses: ["D5.11", "D17.1"],
  whatToDo:
    "Read retry-after from each 429 and 503 response, and don't repeat the call until that many seconds have passed.",
  judge: (history) => mergeFindings([...history.callsOfKey.values()].map(judgeCalls)),
};

// Tolerate a slightly early timer.
const earlyMs = 250;

function judgeCalls(calls: readonly CallEvent[]): Findings {
  const kept: SandboxEvent[] = [];
  const broken: SandboxEvent[] = [];
  for (const [index, limited] of calls.entries()) {
    const { retry_after_seconds: seconds } = limited.facts;
    if (seconds === null || (limited.status !== 429 && limited.status !== 503)) continue;
    // A call of zero duration isn't later than itself.
    const later = Math.max(indexFrom(calls, endOf(limited)), index + 1);
    const early = calls.slice(
      later,
      Math.min(indexFrom(calls, endOf(limited) + seconds * 1000 - earlyMs), later + limits.checkEvidenceMax),
    );
    const next = calls[later];
    // Another tab may not know yet, but a payment key has a single owner.
    if (early.length > (limited.facts.idempotency_key === null ? 1 : 0)) {
      if (broken.length < limits.checkEvidenceMax) broken.push(limited, ...early);
    } else if (next && early.length === 0) kept.push(limited, next);
  }
  return { kept, broken: broken.slice(0, limits.checkEvidenceMax) };
}

const retriesBounded: Rule = {
  id: "retries-bounded",
  title: "Retries a failing call with pauses and a limit",
  clauses: ["D5.11", "D5.12", "D21.4"],
  whatToDo: "Pause before each retry, with growing delays and jitter, and stop after a few. A job can try again later.",
  judge: (history) => {
    const runs = [...history.callsOfKey.values()].flatMap(failuresInARow);
    return {
      kept: runs.filter((run) => run.slice(0, -1).some(isTransient)).flat(),
      broken: runs.filter(isStorm).flat(),
    };
  },
};

/** Runs of consecutive failures of one call, each with the success that ended it; without failures, that success alone. */
function failuresInARow(calls: readonly CallEvent[]): CallEvent[][] {
  const runs: CallEvent[][] = [];
  let run: CallEvent[] = [];
  for (const call of calls) {
    run.push(call);
    if (isFailure(call)) continue;
    runs.push(run);
    run = [];
  }
  return run.length > 0 ? [...runs, run] : runs;
}

// Other rules judge expired and superseded tokens, which many calls may carry until the refresh is done.
function isFailure({ status, reason }: CallEvent): boolean {
  return !isSuccess(status) && reason !== "token_expired" && reason !== "token_superseded";
}

function isTransient({ status }: CallEvent): boolean {
  return !isSuccess(status) && !isDefiniteRefusal(status);
}

function isStorm(run: readonly CallEvent[]): boolean {
  const turns = sequenceOf(run.filter(isFailure));
  return turns.some((call, index) => {
    const first = turns[index - limits.checkFailuresInARowMax];
    return first !== undefined && endOf(call) - startOf(first) < limits.checkFailuresWithinMs;
  });
}

/** The longest sequence without overlaps among the calls of the first second, which may be concurrent, and all later ones. */
function sequenceOf(run: readonly CallEvent[]): CallEvent[] {
  const sequence: CallEvent[] = [];
  const [first] = run;
  for (const call of run) {
    const last = sequence.at(-1);
    const isLater = first !== undefined && startOf(call) - startOf(first) >= limits.checkAtOnceMs;
    if (!last || isLater || startOf(call) >= endOf(last)) sequence.push(call);
    else if (endOf(call) < endOf(last)) sequence[sequence.length - 1] = call;
  }
  return sequence;
}

const readsPaused: Rule = {
  id: "reads-paused",
  title: "Pauses between reads of the same record",
  clauses: ["D17.1", "D14.1"],
  isAdvice: true,
  whatToDo:
    "Wait for webhooks, and read what is still in progress at growing intervals of seconds or minutes. Reading in a loop uses up your rate limit.",
  judge: ({ callsOfKey }) => {
    // retries-bounded covers failed reads.
    const groups = [...callsOfKey.values()]
      .map((calls) => calls.filter(({ status }) => isSuccess(status)))
      .filter(([call]) => call?.method === "GET" && call.facts.access_token !== null);
    const bursts = groups.map((reads) =>
      reads.filter((read, index) => {
        const earlier = reads[index - limits.checkReadsPerSecondMax];
        return earlier !== undefined && startOf(read) - startOf(earlier) < 1000;
      }),
    );
    return { kept: groups.flatMap((reads) => reads.slice(1)), broken: bursts.flat() };
  },
};

export const retryRules: readonly Rule[] = [retryAfterObeyed, retriesBounded, readsPaused];
