import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "./describe-error.ts";
import { keepListening } from "./listen.ts";
import { log } from "./log.ts";

/** What a loop does: where it listens, what it runs when it wakes, and how often it looks without being woken. */
export type WakeLoopOptions = {
  /** What the log calls it. */
  name: string;
  /** The PostgreSQL channel whose notifications mean "there may be something to do". Without one it goes by time alone. */
  listen?: { databaseUrl: string; channel: string };
  /**
   * Does all that is due and returns the milliseconds until more will be; undefined when nothing is in sight, "full" when it
   * can begin nothing more and will be woken once it can. `stopping` is aborted by `stop`, for work that is long.
   */
  work: (stopping: AbortSignal) => Promise<number | "full" | undefined>;
  /** Where it says until when it sleeps, when writers notify only those who sleep too long. */
  sleep?: SleepNotice;
  /** How long it sleeps at most, in case a notification was lost. */
  pollMs?: number;
  /** How long it sleeps after work that failed. */
  retryMs?: number;
};

/**
 * How a loop tells writers until when it sleeps, so that they notify it of what is due earlier and of nothing else. A writer
 * reads it in its transaction, after it has written.
 */
export type SleepNotice = {
  /**
   * Says that the loop sleeps for so long. Committed when it returns, with a mark for `isHeard`; undefined when all have heard
   * it already.
   */
  announce: (sleepMs: number) => Promise<string | undefined>;
  /** Whether every transaction has ended that may have read the notice before it was there. */
  isHeard: (mark: string) => Promise<boolean>;
  /** Says that the loop is awake. */
  rise: () => Promise<void>;
  /** Takes the notice away. */
  remove: () => Promise<void>;
};

/** A running loop: `wake` makes it look now, `stop` lets the work under way end. */
export type WakeLoop = {
  /** Looks again at once, or right after the look that is under way. */
  wake: () => void;
  /** Returns when the look under way is over; none follows. */
  stop: () => Promise<void>;
};

// How soon it looks again while somebody may be writing who did not hear that it sleeps; twice as long each time.
const unheardMs = { first: 2, max: 100 };

/**
 * Runs a worker: it looks for work at start, when notified, on every reconnect, at the next due time and every `pollMs`. Looks
 * never overlap. One that throws is logged, and the loop goes on.
 */
export function startWakeLoop({ name, listen, work, sleep, pollMs = 5000, retryMs = 500 }: WakeLoopOptions): WakeLoop {
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  let isWanted = false;
  let isAnnounced = false;
  let isFull = false;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

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
        // Beside the look, which is not to wait for it; and without it there are only more notifications.
        const risen = isAnnounced ? sleep?.rise().catch(() => {}) : undefined;
        isAnnounced = false;
        sleepMs = await lookOnce().finally(() => risen);
        // Whoever is full, or looks again anyway, need not be told of anything.
        if (sleep && sleepMs > 0 && !isFull && !isWanted) sleepMs = await announceSleep(sleep, sleepMs);
      } catch (error) {
        sleepMs = retryMs;
        // Work that was aborted by the stop has not failed.
        if (!isStopped()) log().error({ loop: name, error: describeError(error) }, "a worker failed and tries again");
      }
    }
    if (!isStopped()) timer = setTimeout(wake, Math.max(0, sleepMs));
  }

  async function lookOnce(): Promise<number> {
    const next = await work(stopping.signal);
    isFull = next === "full";
    return Math.min(typeof next === "number" ? next : pollMs, pollMs);
  }

  // Looks again once it is said, and until all have heard it, or what was written meanwhile might be slept over.
  async function announceSleep(notice: SleepNotice, sleepMs: number): Promise<number> {
    const wakesAt = Date.now() + sleepMs;
    isAnnounced = true;
    const mark = await notice.announce(sleepMs);
    for (let pauseMs = unheardMs.first; ; pauseMs = Math.min(2 * pauseMs, unheardMs.max)) {
      const isHeard = mark === undefined || (await notice.isHeard(mark));
      const nextMs = Math.min(await lookOnce(), wakesAt - Date.now());
      if (isHeard || nextMs <= 0 || isWanted || isStopped()) return nextMs;
      await delay(Math.min(pauseMs, nextMs));
    }
  }

  const listener = listen && keepListening({ name, ...listen }, { onConnect: wake, onNotify: wake });
  wake();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await looking;
      await sleep?.remove().catch((error: unknown) => {
        log().warn({ loop: name, error: describeError(error) }, "a worker's notice stays behind");
      });
      await listener?.stop();
    },
  };
}
