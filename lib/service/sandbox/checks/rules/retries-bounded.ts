import { limits } from "../../../../contract/limits.ts";
import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

/** A service in trouble is not helped by being asked without end. */
export const retriesBounded: Rule = {
  id: "retries-bounded",
  title: "Tries a failing call again with pauses, and not for ever",
  clauses: ["D5.11", "D5.12", "D21.4"],
  isAdvice: false,
  whatToDo:
    "Pause before each retry, longer each time and by chance a little more, and give up after a few; a job may try again later.",
  judge: (history) => {
    const runs = [...history.callsOfKey.values()].flatMap(failuresInARow);
    return {
      kept: runs.filter(({ length }) => length > 1).flat(),
      broken: runs.filter(isStorm).flat(),
    };
  },
};

/** Failures of one call after each other, with the success that ended them. */
function failuresInARow(calls: readonly CallEvent[]): CallEvent[][] {
  const runs: CallEvent[][] = [];
  let run: CallEvent[] = [];
  for (const call of calls) {
    run.push(call);
    if (isFailure(call)) continue;
    if (run.length > 1) runs.push(run);
    run = [];
  }
  return run.length > 0 ? [...runs, run] : runs;
}

function isFailure({ status }: CallEvent): boolean {
  return status === null || status === 429 || status >= 500;
}

function isStorm(run: readonly CallEvent[]): boolean {
  return run.some((call, place) => {
    const first = run[place - limits.checkFailuresInARowMax];
    return first !== undefined && endOf(call) - startOf(first) < limits.checkFailuresWithinMs;
  });
}
