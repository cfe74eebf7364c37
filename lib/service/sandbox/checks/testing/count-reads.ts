import type { SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { type History, historyInSteps } from "../history.ts";

/**
 * A history that counts reads of event fields and list elements: a machine-independent cost of a rule. `countOf` counts the
 * reads of some work, `stepReadsMax` those of the longest step of building the history.
 */
export function readCountedHistory(
  events: readonly SandboxEvent[],
  { until }: { until: Date },
): { history: History; stepReadsMax: number; countOf: (work: () => unknown) => number } {
  let reads = 0;
  const counted = <Item extends object>(item: Item): Item =>
    new Proxy(item, {
      get: (target, name, receiver) => {
        reads++;
        return Reflect.get(target, name, receiver);
      },
    });
  const countedLists = (value: unknown): unknown => {
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, countedLists(item)]));
    return Array.isArray(value) ? counted(value) : value;
  };
  const countOf = (work: () => unknown) => {
    reads = 0;
    work();
    return reads;
  };
  const steps = historyInSteps(events.map(counted), { until });
  let stepReadsMax = 0;
  let step: IteratorResult<undefined, History>;
  do {
    reads = 0;
    step = steps.next();
    stepReadsMax = Math.max(stepReadsMax, reads);
  } while (!step.done);
  const { value } = step;
  const history = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, countedLists(item)]),
  ) as History;
  return { history, stepReadsMax, countOf };
}
