/** Work on due items, each claimed by one process at a time. */
export type DueWorkOptions<Item> = {
  inFlightMax: number;
  claim: (limit: number) => Promise<Item[]>;
  work: (item: Item) => Promise<void>;
  /** The milliseconds until the next unclaimed item is due; undefined if nothing is waiting. */
  findNextMs: () => Promise<number | undefined>;
  /** Called when `work` threw. The next `startDue` throws that error. */
  onFailed?: (() => void) | undefined;
};

export type DueWork = {
  /** Starts work on everything due, and waits only while `inFlightMax` items are in flight. Returns when to start again, in milliseconds; undefined if nothing is waiting. */
  startDue: () => Promise<number | undefined>;
  /** Waits for the work in progress. */
  drain: () => Promise<void>;
};

// An item that is due but wasn't claimed is locked by another session, which may take long.
const shortestWaitMs = 20;

/** Works on items concurrently, so that a slow one delays no other. */
export function createDueWork<Item>(options: DueWorkOptions<Item>): DueWork {
  const { inFlightMax, claim, work, findNextMs, onFailed } = options;
  const inFlight = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;

  function start(item: Item): void {
    const started: Promise<void> = work(item)
      .catch((error: unknown) => {
        failure ??= { error };
        onFailed?.();
      })
      .finally(() => inFlight.delete(started));
    inFlight.add(started);
  }

  async function startDue(): Promise<number | undefined> {
    if (failure) {
      const { error } = failure;
      failure = undefined;
      throw error;
    }
    const free = inFlightMax - inFlight.size;
    const items = await claim(free);
    for (const item of items) start(item);
    if (items.length < free) {
      const nextMs = await findNextMs();
      return nextMs === undefined ? undefined : Math.max(nextMs, shortestWaitMs);
    }
    await Promise.race(inFlight);
    return 0;
  }

  async function drain(): Promise<void> {
    await Promise.all(inFlight);
  }

  return { startDue, drain };
}
