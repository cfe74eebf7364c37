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
    if (namesInFlight.size === 0) return queue.splice(0, sizeMax);
    const next: Waiting[] = [];
    const others: Waiting[] = [];
    for (const one of queue) (next.length < sizeMax && !namesInFlight.has(one.name) ? next : others).push(one);
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
      const late = outcomes.filter((outcome) => outcome instanceof Promise);
      if (late.length > 0) await Promise.allSettled(late);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      clearTimeout(patience);
      if (isSlow) slow--;
      else inFlight--;
      for (const name of names) namesInFlight.delete(name);
      schedule();
    }
  }
}

/** What became of one part of some work: it was done, or it was undone completely. */
export type PartOutcome<T> = { kind: "done"; value: T } | { kind: "undone"; error: Error };

/** What was done of a set, part by part, and the items that could not be done even alone. */
export type DoneInParts<Item, T> = { done: T[]; undone: { item: Item; error: Error }[] };

/**
 * Does a set at once. If that fails, it does each half by itself, and so on, until only the items are left that fail alone. So
 * one bad item costs the others a few more tries and nothing else. The parts are done one after another, in the items' order.
 */
export async function doInParts<Item, T>(
  items: Item[],
  attempt: (items: Item[]) => Promise<PartOutcome<T>>,
): Promise<DoneInParts<Item, T>> {
  if (items.length === 0) return { done: [], undone: [] };
  const outcome = await attempt(items);
  if (outcome.kind === "done") return { done: [outcome.value], undone: [] };
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0) return { done: [], undone: [{ item: only, error: outcome.error }] };
  const middle = Math.ceil(items.length / 2);
  const first = await doInParts(items.slice(0, middle), attempt);
  const second = await doInParts(items.slice(middle), attempt);
  return { done: [...first.done, ...second.done], undone: [...first.undone, ...second.undone] };
}
