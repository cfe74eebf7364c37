import type { SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { type History, readHistory } from "../history.ts";

/**
 * The history of some events, of which each read of an event's field and of a list's element is counted: what a rule costs,
 * whatever the machine. `countOf` says how many reads some work makes.
 */
export function readCountedHistory(
  events: readonly SandboxEvent[],
  { until }: { until: Date },
): { history: History; countOf: (work: () => unknown) => number } {
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
  const history = readHistory(events.map(counted), { until });
  return {
    history: Object.fromEntries(Object.entries(history).map(([name, value]) => [name, countedLists(value)])) as History,
    countOf: (work) => {
      reads = 0;
      work();
      return reads;
    },
  };
}
