import { isDataError } from "./database-errors.ts";
import { type OpenSpan, tracing } from "./spans.ts";

/**
 * `run` returns one outcome per request, in order. An outcome may be a promise: the others don't wait for it, and the
 * set stays in flight until it settles.
 */
export type BatcherOptions<Request, Outcome> = {
  name?: string;
  run: (requests: Request[]) => Promise<(Outcome | Promise<Outcome>)[]>;
  /** Sets in flight at once. Two keep the database busy while the next set gathers. */
  inFlightMax?: number;
  /** Milliseconds after which a set counts as slow. Up to three slow sets don't count towards `inFlightMax`. */
  slowAfterMs?: number;
  sizeMax?: number;
  /** Names a resource that only one set in flight may use. */
  nameOf?: (request: Request) => string;
};

const slowMax = 3;

/**
 * Batches calls: those that arrive while a set is in flight form the next one, in order of arrival. An idle batcher
 * adds one tick of the event loop. If `run` throws, every call of the set throws.
 */
export function createBatcher<Request, Outcome>({
  name = "set",
  run,
  inFlightMax = 2,
  slowAfterMs,
  sizeMax = 256,
  nameOf,
}: BatcherOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  type Waiting = {
    request: Request;
    name: string | undefined;
    span: OpenSpan | undefined;
    resolve: (outcome: Outcome | Promise<Outcome>) => void;
    reject: (error: unknown) => void;
  };
  let queue: Waiting[] = [];
  const namesInFlight = new Set<string | undefined>();
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
    // One tick later, so that requests read from several sockets in one poll share a set.
    setImmediate(() => {
      isScheduled = false;
      const waiting = takeNext();
      if (waiting.length === 0) return;
      void dispatch(waiting);
      schedule();
    });
  }

  function takeNext(): Waiting[] {
    if (namesInFlight.size === 0) return queue.splice(0, sizeMax);
    const next: Waiting[] = [];
    const others: Waiting[] = [];
    for (const item of queue) (next.length < sizeMax && !namesInFlight.has(item.name) ? next : others).push(item);
    queue = others;
    return next;
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
    const names = nameOf ? waiting.map(({ name }) => name) : [];
    inFlight++;
    for (const name of names) namesInFlight.add(name);
    let isSlow = false;
    const markSlow = () => {
      if (slow === slowMax) return;
      isSlow = true;
      slow++;
      inFlight--;
      schedule();
    };
    const slowTimer = slowAfterMs === undefined ? undefined : setTimeout(markSlow, slowAfterMs);
    try {
      const outcomes = await runSet(waiting);
      if (outcomes.length !== waiting.length) throw new Error("A batch must return one outcome per request.");
      waiting.forEach(({ resolve }, index) => {
        resolve(outcomes[index] as Outcome | Promise<Outcome>);
      });
      const late = outcomes.filter((outcome) => outcome instanceof Promise);
      if (late.length > 0) await Promise.allSettled(late);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      clearTimeout(slowTimer);
      if (isSlow) slow--;
      else inFlight--;
      for (const name of names) namesInFlight.delete(name);
      schedule();
    }
  }
}

export type Bisection<Item, T> = { done: T[]; failed: { item: Item; error: unknown }[] };

/**
 * Tries the whole set. If PostgreSQL rejects a row, tries each half, in order, until each failing item is isolated. An
 * `attempt` that throws must have done nothing. Throws any other error.
 */
export async function bisect<Item, T>(
  items: Item[],
  attempt: (items: Item[]) => Promise<T>,
): Promise<Bisection<Item, T>> {
  if (items.length === 0) return { done: [], failed: [] };
  try {
    return { done: [await attempt(items)], failed: [] };
  } catch (error) {
    if (!isDataError(error)) throw error;
    const [only, ...others] = items;
    if (only !== undefined && others.length === 0) return { done: [], failed: [{ item: only, error }] };
  }
  const middle = Math.ceil(items.length / 2);
  const first = await bisect(items.slice(0, middle), attempt);
  const second = await bisect(items.slice(middle), attempt);
  return { done: [...first.done, ...second.done], failed: [...first.failed, ...second.failed] };
}
