import { describeError } from "./describe-error.ts";
import { listenTo } from "./listen.ts";
import { log } from "./log.ts";

/** What a loop works on: where it listens, what it does when it wakes, and when it looks by itself. */
export type WakeLoopOptions = {
  /** What the log calls it. */
  name: string;
  /** The PostgreSQL channel whose notifications mean "there may be something to do". Without one it goes by time alone. */
  listen?: { databaseUrl: string; channel: string };
  /**
   * Does all that is due and returns the milliseconds until more will be; undefined when nothing is in sight. `stopping` is
   * aborted by `stop`, for work that is long.
   */
  work: (stopping: AbortSignal) => Promise<number | undefined>;
  /** How long it sleeps at most, in case a notification was lost. */
  pollMs?: number;
  /** How long it sleeps after work that failed. */
  retryMs?: number;
};

/** A running loop: `wake` makes it look now, `stop` lets the work under way end. */
export type WakeLoop = {
  /** Looks again at once, or right after the look that is under way. */
  wake: () => void;
  /** Returns when the look under way is over; none follows. */
  stop: () => Promise<void>;
};

const reconnectMs = 500;

/**
 * A worker's rhythm: it looks at start, when notified, on every reconnect, at the next due time and every `pollMs`. Looks
 * never overlap. One that throws is logged, and the loop goes on.
 */
export function startWakeLoop({ name, listen, work, pollMs = 5000, retryMs = 500 }: WakeLoopOptions): WakeLoop {
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  let isWanted = false;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let listener: Promise<{ stop: () => Promise<void> } | undefined> = Promise.resolve(undefined);

  function wake(): void {
    if (isStopped()) return;
    isWanted = true;
    looking ??= look().finally(() => {
      looking = undefined;
      if (isWanted) wake();
    });
  }

  async function look(): Promise<void> {
    let sleepMs = pollMs;
    while (isWanted && !isStopped()) {
      isWanted = false;
      clearTimeout(timer);
      try {
        sleepMs = Math.min((await work(stopping.signal)) ?? pollMs, pollMs);
      } catch (error) {
        sleepMs = retryMs;
        // What was broken off because of the stop has not failed.
        if (!isStopped()) log().error({ loop: name, error: describeError(error) }, "a worker's look failed");
      }
    }
    if (!isStopped()) timer = setTimeout(wake, Math.max(0, sleepMs));
  }

  async function connect({ databaseUrl, channel }: { databaseUrl: string; channel: string }) {
    const listenAgain = () => {
      if (isStopped()) return;
      reconnectTimer = setTimeout(() => {
        listener = connect({ databaseUrl, channel });
      }, reconnectMs);
    };
    try {
      return await listenTo(databaseUrl, channel, { onConnect: wake, onNotify: wake, onLost: listenAgain });
    } catch (error) {
      log().warn({ loop: name, error: describeError(error) }, "a worker cannot listen");
      listenAgain();
      return undefined;
    }
  }

  if (listen) listener = connect(listen);
  wake();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      clearTimeout(reconnectTimer);
      await looking;
      await (await listener)?.stop();
    },
  };
}
