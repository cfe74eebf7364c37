import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import { startOf } from "./history.ts";

/** The place of the first event that began at `ms` or later, among events in the order of their beginnings. */
export function placeFrom(events: readonly SandboxEvent[], ms: number): number {
  return firstPlace(events.length, (place) => startAt(events, place) >= ms);
}

/** The place of the first event that began after `ms`, among events in the order of their beginnings. */
export function placeAfter(events: readonly SandboxEvent[], ms: number): number {
  return firstPlace(events.length, (place) => startAt(events, place) > ms);
}

function startAt(events: readonly SandboxEvent[], place: number): number {
  const event = events[place];
  return event ? startOf(event) : Number.POSITIVE_INFINITY;
}

/** The first place below `length` that is reached; every place after one that is reached is reached too. */
export function firstPlace(length: number, isReached: (place: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Tests a number; whatever passes, every greater number passes too. */
type GreaterTest = (value: number) => boolean;

/** Finds numbers by size in a list that is not sorted by size, in logarithmic time: a segment tree of maxima. */
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

  /** The first place, from `from` on, whose number passes; -1 when there is none. */
  firstFrom(from: number, test: GreaterTest): number {
    if (from >= this.#leaves) return -1;
    let node = this.#leaves + from;
    while (!test(this.#maximum(node))) {
      // Up, until there is a right neighbor.
      while (node % 2 === 1) node = (node - 1) / 2;
      if (node === 0) return -1;
      node++;
    }
    while (node < this.#leaves) node = test(this.#maximum(2 * node)) ? 2 * node : 2 * node + 1;
    return node - this.#leaves;
  }

  /** The last place before `end` whose number passes; -1 when there is none. */
  lastBefore(end: number, test: GreaterTest): number {
    if (end <= 0) return -1;
    let node = this.#leaves + end - 1;
    while (!test(this.#maximum(node))) {
      // Up, until there is a left neighbor.
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
