/** `run` takes a set and returns one outcome per request, in the same order. */
export type BatcherOptions<Request, Outcome> = {
  run: (requests: Request[]) => Promise<Outcome[]>;
  /** How many sets may be under way at once. Two keep the database busy while the next set gathers. */
  inFlightMax?: number;
  sizeMax?: number;
};

/**
 * Turns single calls into sets: what arrives while a set is under way goes together in the next one, in arrival order.
 * An idle batcher adds one turn of the event loop and nothing more. When `run` throws, every call of that set does.
 */
export function createBatcher<Request, Outcome>({
  run,
  inFlightMax = 2,
  sizeMax = 256,
}: BatcherOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  type Waiting = { request: Request; resolve: (outcome: Outcome) => void; reject: (error: unknown) => void };
  const queue: Waiting[] = [];
  let inFlight = 0;
  let isScheduled = false;

  return (request) =>
    new Promise((resolve, reject) => {
      queue.push({ request, resolve, reject });
      schedule();
    });

  function schedule(): void {
    if (isScheduled || inFlight >= inFlightMax || queue.length === 0) return;
    isScheduled = true;
    // One turn later, so that requests read from several sockets in the same poll travel together.
    setImmediate(() => {
      isScheduled = false;
      void dispatch(queue.splice(0, sizeMax));
      schedule();
    });
  }

  async function dispatch(waiting: Waiting[]): Promise<void> {
    inFlight++;
    try {
      const outcomes = await run(waiting.map(({ request }) => request));
      if (outcomes.length !== waiting.length) throw new Error("A batch must return one outcome per request.");
      waiting.forEach(({ resolve }, index) => {
        resolve(outcomes[index] as Outcome);
      });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      inFlight--;
      schedule();
    }
  }
}
