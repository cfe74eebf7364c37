import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import { startOf } from "./history.ts";

/** The index of the first event that started at `ms` or later; `events` is sorted by start. */
export function indexFrom(events: readonly SandboxEvent[], ms: number): number {
  return firstIndex(events.length, (index) => startAt(events, index) >= ms);
}

/** The index of the first event that started after `ms`; `events` is sorted by start. */
export function indexAfter(events: readonly SandboxEvent[], ms: number): number {
  return firstIndex(events.length, (index) => startAt(events, index) > ms);
}

function startAt(events: readonly SandboxEvent[], index: number): number {
  const event = events[index];
  return event ? startOf(event) : Number.POSITIVE_INFINITY;
}

/** Binary search: the first index below `length` that satisfies a monotonic predicate, else `length`. */
export function firstIndex(length: number, isMatch: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMatch(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A monotonic test: if a number passes, so does every greater one. */
type GreaterTest = (value: number) => boolean;

/** A segment tree of maxima: searches an unsorted list by value in logarithmic time. */
export class RangeMaximum {
  readonly #leaves: number;
  readonly #maxima: Float64Array;

  constructor(values: readonly number[]) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
    this.#maxima = new Float64Array(2 * this.#leaves).fill(Number.NEGATIVE_INFINITY);
    this.#maxima.set(values, this.#leaves);
    for (let node = this.#leaves - 1; node > 0; node--) {
      this.#maxima[node] = Math.max(this.#maximum(2 * node), this.#maximum(2 * node + 1));
    }
  }

  /** The first index at or after `from` whose number passes, or -1. */
  firstFrom(from: number, test: GreaterTest): number {
    if (from >= this.#leaves) return -1;
    let node = this.#leaves + from;
    while (!test(this.#maximum(node))) {
      while (node % 2 === 1) node = (node - 1) / 2;
      if (node === 0) return -1;
      node++;
    }
    while (node < this.#leaves) node = test(this.#maximum(2 * node)) ? 2 * node : 2 * node + 1;
    return node - this.#leaves;
  }

  /** The last index before `end` whose number passes, or -1. */
  lastBefore(end: number, test: GreaterTest): number {
    if (end <= 0) return -1;
    let node = this.#leaves + end - 1;
    while (!test(this.#maximum(node))) {
      while (node > 1 && node % 2 === 0) node /= 2;
      if (node <= 1) return -1;
      node--;
    }
    while (node < this.#leaves) node = test(this.#maximum(2 * node + 1)) ? 2 * node + 1 : 2 * node;
    return node - this.#leaves;
  }

  #maximum(node: number): number {
    return this.#maxima[node] ?? Number.NEGATIVE_INFINITY;
  }
}
