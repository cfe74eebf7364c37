import { Latencies } from "./latencies.ts";

/** A round's result. `errors` are wrong answers, and `late` correct answers after the end. Neither counts. */
export type Round = {
  perSecond: number;
  count: number;
  late: number;
  errors: number;
  p50Ms: number;
  p99Ms: number;
  worstMs: number;
  firstError?: string | undefined;
};

/** Throws on wrong answers. */
export function requireRight(name: string, { errors, firstError }: Round): void {
  if (errors > 0) throw new Error(`${name}: ${errors} wrong answers, the first: ${firstError}`);
}

/** A round's duration, after an unmeasured warm-up. */
export type RoundLength = { warmUpSeconds: number; seconds: number };

/** A repeatable unit of work; `false` or a throw is an error. */
export type Work = () => Promise<boolean>;

/** Closed loop: each actor repeats its work without pause. */
export async function runClosedLoop(actors: Work[], { warmUpSeconds, seconds }: RoundLength): Promise<Round> {
  const notes = new Notes();
  const beginsAt = performance.now() + warmUpSeconds * 1000;
  const endsAt = beginsAt + seconds * 1000;
  const repeat = async (work: Work) => {
    for (let startedAt = performance.now(); startedAt < endsAt; ) {
      const error = await problemOf(work);
      const now = performance.now();
      if (now >= endsAt && error === undefined) notes.late++;
      else if (now >= beginsAt) notes.add(now - startedAt, error);
      startedAt = now;
    }
  };
  await Promise.all(actors.map(repeat));
  return notes.round(seconds);
}

/**
 * Open loop: starts work at a fixed rate on free actors. Latency counts from the scheduled start, so a pause affects
 * all the work that it delays (no coordinated omission).
 */
export async function runAtRate(
  actors: Work[],
  { warmUpSeconds, seconds, perSecond }: RoundLength & { perSecond: number },
): Promise<Round> {
  const notes = new Notes();
  const startsAt = performance.now();
  const beginsAt = startsAt + warmUpSeconds * 1000;
  const total = Math.floor((warmUpSeconds + seconds) * perSecond);
  const intendedAt = (index: number) => startsAt + (index / perSecond) * 1000;
  let next = 0;
  const take = async (work: Work) => {
    while (next < total) {
      const at = intendedAt(next++);
      await untilTime(at);
      const error = await problemOf(work);
      if (at >= beginsAt) notes.add(performance.now() - at, error);
    }
  };
  await Promise.all(actors.map(take));
  return notes.round(seconds);
}

class Notes {
  readonly #latencies = new Latencies();
  #errors = 0;
  #firstError: string | undefined;
  late = 0;

  add(milliseconds: number, error: string | undefined): void {
    if (error === undefined) this.#latencies.add(milliseconds);
    else {
      this.#errors++;
      this.#firstError ??= error;
    }
  }

  round(seconds: number): Round {
    const { count } = this.#latencies;
    return {
      perSecond: count / seconds,
      count,
      late: this.late,
      errors: this.#errors,
      ...this.#latencies.summary(),
      firstError: this.#firstError,
    };
  }
}

async function problemOf(work: Work): Promise<string | undefined> {
  try {
    return (await work()) ? undefined : "a wrong answer";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// Timers have millisecond resolution, so work starts up to 1 ms late on every side; spinning would cost a core.
async function untilTime(at: number): Promise<void> {
  const wait = at - performance.now();
  if (wait > 0) await new Promise((done) => setTimeout(done, wait));
}
