import { percentile } from "../measure/statistics.ts";

/** Every latency of a round in milliseconds, in a buffer that doubles. */
export class Latencies {
  #values = new Float64Array(65_536);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(milliseconds: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = milliseconds;
  }

  clear(): void {
    this.#count = 0;
  }

  summary(): { p50Ms: number; p99Ms: number; worstMs: number } {
    const values = this.#values.subarray(0, this.#count);
    return { p50Ms: percentile(values, 0.5), p99Ms: percentile(values, 0.99), worstMs: percentile(values, 1) };
  }
}
