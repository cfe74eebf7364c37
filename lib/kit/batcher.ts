import { type OpenSpan, tracing } from "./spans.ts";

/**
 * `run` takes a set and returns one outcome per request, in the same order. An outcome that takes longer than the others may
 * be a promise: the others are answered without it, and the set stays under way until it is there.
 */
export type BatcherOptions<Request, Outcome> = {
  /** What the span of a set is called. */
  name?: string;
  run: (requests: Request[]) => Promise<(Outcome | Promise<Outcome>)[]>;
  /** How many sets may be under way at once. Two keep the database busy while the next set gathers. */
  inFlightMax?: number;
  /** From when on, in milliseconds, a set counts as slow. Three slow ones may be under way beside `inFlightMax` others. */
  slowAfterMs?: number;
  sizeMax?: number;
  /** Names what a request would make another one wait for. Two sets under way never have such a name in common. */
  nameOf?: (request: Request) => string;
  /**
   * How many sets under way may have this name in common after all; asked whenever one is about to start. None starts beside
   * a set that still has outcomes to come, so that what takes longer is not overtaken for ever.
   */
  setsOf?: (name: string) => number;
};

const slowMax = 3;

/**
 * Turns single calls into sets: what arrives while a set is under way goes together in the next one, in arrival order.
 * An idle batcher adds one turn of the event loop and nothing more. When `run` throws, every call of that set does.
 */
export function createBatcher<Request, Outcome>({
  name = "set",
  run,
  inFlightMax = 2,
  slowAfterMs,
  sizeMax = 256,
  nameOf,
  setsOf = () => 1,
}: BatcherOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  type Waiting = {
    request: Request;
    name: string | undefined;
    span: OpenSpan | undefined;
    resolve: (outcome: Outcome | Promise<Outcome>) => void;
    reject: (error: unknown) => void;
  };
  let queue: Waiting[] = [];
  const setsInFlight = new Map<string, number>();
  const lateSets = new Map<string, number>();
  let inFlight = 0;
  let slow = 0;
  let isScheduled = false;

  return (request) =>
    new Promise((resolve, reject) => {
      queue.push({ request, name: nameOf?.(request), span: tracing()?.current(), resolve, reject });
      schedule();
    });

  function schedule(): void {
    if (isScheduled || inFlight >= inFlightMax || queue.length === 0) return;
    isScheduled = true;
    // One turn later, so that requests read from several sockets in the same poll travel together.
    setImmediate(() => {
      isScheduled = false;
      const waiting = takeNext();
      if (waiting.length === 0) return;
      void dispatch(waiting);
      schedule();
    });
  }

  function takeNext(): Waiting[] {
    if (setsInFlight.size === 0) return queue.splice(0, sizeMax);
    const next: Waiting[] = [];
    const others: Waiting[] = [];
    for (const one of queue) (next.length < sizeMax && mayStart(one.name) ? next : others).push(one);
    queue = others;
    return next;
  }

  function mayStart(name: string | undefined): boolean {
    const sets = name === undefined ? 0 : (setsInFlight.get(name) ?? 0);
    return name === undefined || sets === 0 || (sets < setsOf(name) && !lateSets.has(name));
  }

  function runSet(waiting: Waiting[]): Promise<(Outcome | Promise<Outcome>)[]> {
    const requests = waiting.map(({ request }) => request);
    const spans = tracing();
    if (!spans) return run(requests);
    const start = { name, facts: { "gangway.set.size": waiting.length } };
    return spans.runSet(
      start,
      waiting.map(({ span }) => span),
      () => run(requests),
    );
  }

  async function dispatch(waiting: Waiting[]): Promise<void> {
    const names = namesOf(waiting);
    inFlight++;
    count(setsInFlight, names, 1);
    let lateNames: ReadonlySet<string> = new Set();
    let isSlow = false;
    const noteSlow = () => {
      if (slow === slowMax) return;
      isSlow = true;
      slow++;
      inFlight--;
      schedule();
    };
    const patience = slowAfterMs === undefined ? undefined : setTimeout(noteSlow, slowAfterMs);
    try {
      const outcomes = await runSet(waiting);
      if (outcomes.length !== waiting.length) throw new Error("A batch must return one outcome per request.");
      waiting.forEach(({ resolve }, index) => {
        resolve(outcomes[index] as Outcome | Promise<Outcome>);
      });
      const late = waiting.filter((_, index) => outcomes[index] instanceof Promise);
      if (late.length > 0) {
        lateNames = namesOf(late);
        count(lateSets, lateNames, 1);
        await Promise.allSettled(outcomes);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      clearTimeout(patience);
      if (isSlow) slow--;
      else inFlight--;
      count(setsInFlight, names, -1);
      count(lateSets, lateNames, -1);
      schedule();
    }
  }
}

function namesOf(waiting: readonly { name: string | undefined }[]): ReadonlySet<string> {
  return new Set(waiting.flatMap(({ name }) => name ?? []));
}

function count(sets: Map<string, number>, names: ReadonlySet<string>, change: 1 | -1): void {
  for (const name of names) {
    const now = (sets.get(name) ?? 0) + change;
    if (now > 0) sets.set(name, now);
    else sets.delete(name);
  }
}
