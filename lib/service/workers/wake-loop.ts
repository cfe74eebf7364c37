import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { listenTo } from "../storage/listen.ts";

export type WakeLoopOptions = {
  /** The PostgreSQL channel whose notifications mean "there may be something to do". */
  channel: string;
  /** Does all that is due and returns the milliseconds until more will be; undefined when nothing is in sight. */
  work: () => Promise<number | undefined>;
  /** How long it sleeps at most, in case a notification was lost. */
  pollMs?: number;
};

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
export function startWakeLoop({ channel, work, pollMs = 5000 }: WakeLoopOptions): WakeLoop {
  let isStopped = false;
  let isWanted = false;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let listener: Promise<{ stop: () => Promise<void> } | undefined> = Promise.resolve(undefined);

  function wake(): void {
    if (isStopped) return;
    isWanted = true;
    looking ??= look().finally(() => {
      looking = undefined;
      if (isWanted) wake();
    });
  }

  async function look(): Promise<void> {
    let sleepMs = pollMs;
    while (isWanted && !isStopped) {
      isWanted = false;
      clearTimeout(timer);
      try {
        sleepMs = Math.min((await work()) ?? pollMs, pollMs);
      } catch (error) {
        sleepMs = reconnectMs;
        log().error({ channel, error: describeError(error) }, "a worker's look failed");
      }
    }
    if (!isStopped) timer = setTimeout(wake, Math.max(0, sleepMs));
  }

  async function listen() {
    try {
      return await listenTo(channel, { onConnect: wake, onNotify: wake, onLost: listenAgain });
    } catch (error) {
      log().warn({ channel, error: describeError(error) }, "a worker cannot listen");
      listenAgain();
      return undefined;
    }
  }

  function listenAgain(): void {
    if (isStopped) return;
    reconnectTimer = setTimeout(() => {
      listener = listen();
    }, reconnectMs);
  }

  listener = listen();
  wake();
  return {
    wake,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(reconnectTimer);
      await looking;
      await (await listener)?.stop();
    },
  };
}
