import { Latencies } from "./latencies.ts";

/**
 * What one round came to. `errors`: answers that were not the right one; they are not counted. `late`: right ones that came
 * when the round was over, which count for nothing but were done.
 */
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

/** Throws when some answers were wrong: fast and wrong is no figure. */
export function requireRight(name: string, { errors, firstError }: Round): void {
  if (errors > 0) throw new Error(`${name}: ${errors} wrong answers, the first: ${firstError}`);
}

/** How long a round takes. What is done in the time before it counts for nothing. */
export type RoundLength = { warmUpSeconds: number; seconds: number };

/** Something that can be done again and again; `false` or a throw means that it went wrong. */
export type Work = () => Promise<boolean>;

/** Each actor does its work again as soon as it is done: as fast as it goes, with so many at once. */
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
 * Begins so many works a second whether or not earlier ones are done, each by an actor that is free. Latency counts from
 * when a work should have begun, so that a pause is felt by everything that it delayed (no coordinated omission).
 */
export async function runAtRate(
  actors: Work[],
  { warmUpSeconds, seconds, perSecond }: RoundLength & { perSecond: number },
): Promise<Round> {
  const notes = new Notes();
  const startsAt = performance.now();
  const beginsAt = startsAt + warmUpSeconds * 1000;
  const total = Math.floor((warmUpSeconds + seconds) * perSecond);
  const intendedAt = (place: number) => startsAt + (place / perSecond) * 1000;
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

/** What happened in a round so far. */
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

// Timers are whole milliseconds, so a work begins up to one too late, on every side alike; spinning would cost a core.
async function untilTime(at: number): Promise<void> {
  const wait = at - performance.now();
  if (wait > 0) await new Promise((done) => setTimeout(done, wait));
}
