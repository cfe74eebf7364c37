import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "./describe-error.ts";
import { log } from "./log.ts";
import { processWide } from "./memoize.ts";
import { type AddressSource, serverOptions, WritableClient } from "./postgres.ts";

export type WakeLoopOptions = {
  /** For the log. */
  name: string;
  /** The PostgreSQL channel whose notifications wake the loop, or only those with `payload`. Without one it only polls. */
  listen?: Listening & { payload?: string };
  /**
   * Does all due work and returns the milliseconds until more is due; undefined if nothing is scheduled, "full" if it's at
   * capacity and something will wake it later. `stop` aborts `stopping`. Work that may take long calls `progress` as it goes,
   * or else counts as stalled.
   */
  work: (stopping: AbortSignal, progress: () => void) => Promise<number | "full" | undefined>;
  /** Waits for what `work` started and didn't wait for. */
  drain?: () => Promise<void>;
  /** Set if writers notify only loops that would sleep past what they wrote. */
  sleep?: SleepNotice;
  /** The longest sleep, in case a notification is lost. */
  pollMs?: number;
  /** The sleep after work that failed. */
  retryMs?: number;
};

/** Publishes how long a loop sleeps. After writing, a writer reads it in its transaction and notifies if its row is due earlier. */
export type SleepNotice = {
  /** Commits that the loop sleeps for this long. Returns a mark for `isSeen`; undefined if no transaction is open. */
  announce: (sleepMs: number) => Promise<string | undefined>;
  /** Whether every transaction that may have missed the notice has ended. */
  isSeen: (mark: string) => Promise<boolean>;
  /** Commits that the loop is awake. */
  wake: () => Promise<void>;
  remove: () => Promise<void>;
};

export type WakeLoop = {
  /** Polls for work now, or right after the current poll. */
  wake: () => void;
  /** Resolves when the current poll and what it started are done; no other follows. */
  stop: () => Promise<void>;
};

type Poll = { polledAt: number; pollMs: number };
const polls = processWide("wake_loops.polls", () => new Map<string, Poll>());

/** How many seconds overdue each loop's next successful poll or progress is, beyond its longest sleep; 0 if it's on time. */
export function stalledLoops(): [name: string, seconds: number][] {
  const now = performance.now();
  return [...polls()].map(([name, { polledAt, pollMs }]) => [name, Math.max(0, now - polledAt - pollMs) / 1000]);
}

// While a writer may have missed the notice, polls again this soon, doubling each time.
const unseenMs = { first: 2, max: 100 };

/**
 * Runs a worker that polls for work at startup, on each notification and reconnect, at the next due time and every
 * `pollMs`, one poll at a time. An error is logged, and the loop continues.
 */
export function startWakeLoop(options: WakeLoopOptions): WakeLoop {
  const { name, listen, work, drain, sleep, pollMs = 5000, retryMs = 500 } = options;
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  let isWanted = false;
  let isAnnounced = false;
  let isFull = false;
  let hasFailed = false;
  let polling: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const thisPoll: Poll = { polledAt: performance.now(), pollMs };
  polls().set(name, thisPoll);

  function wake(): void {
    if (isStopped()) return;
    isWanted = true;
    polling ??= poll().finally(() => {
      polling = undefined;
      if (isWanted) wake();
    });
  }

  async function poll(): Promise<void> {
    let sleepMs = pollMs;
    while (isWanted && !isStopped()) {
      isWanted = false;
      clearTimeout(timer);
      try {
        // Runs during the poll. If it fails, the loop only gets extra notifications.
        const awake = isAnnounced ? sleep?.wake().catch(() => {}) : undefined;
        isAnnounced = false;
        sleepMs = await pollOnce().finally(() => awake);
        // A loop that is full, or about to poll again, needs no notifications.
        if (sleep && sleepMs > 0 && !isFull && !isWanted) sleepMs = await announceSleep(sleep, sleepMs);
      } catch (error) {
        sleepMs = retryMs;
        hasFailed = true;
        // `stop` may abort the work.
        if (!isStopped()) log().error({ loop: name, error: describeError(error) }, "a worker failed and will retry");
      }
    }
    if (!isStopped()) timer = setTimeout(wake, Math.max(0, sleepMs));
  }

  // A retry of work that failed hasn't got farther yet.
  function progress(): void {
    if (!hasFailed) thisPoll.polledAt = performance.now();
  }

  async function pollOnce(): Promise<number> {
    const next = await work(stopping.signal, progress);
    hasFailed = false;
    progress();
    isFull = next === "full";
    return Math.min(typeof next === "number" ? next : pollMs, pollMs);
  }

  // Keeps polling until no open transaction can have missed the notice.
  async function announceSleep(notice: SleepNotice, sleepMs: number): Promise<number> {
    const wakesAt = performance.now() + sleepMs;
    isAnnounced = true;
    const mark = await notice.announce(sleepMs);
    for (let pauseMs = unseenMs.first; ; pauseMs = Math.min(2 * pauseMs, unseenMs.max)) {
      const isSeen = mark === undefined || (await notice.isSeen(mark));
      const nextMs = Math.min(await pollOnce(), wakesAt - performance.now());
      if (isSeen || nextMs <= 0 || isWanted || isStopped()) return nextMs;
      await delay(Math.min(pauseMs, nextMs));
    }
  }

  const onNotify = (payload: string) => {
    if (listen?.payload === undefined || payload === listen.payload) wake();
  };
  const listener = listen && keepListening({ name, ...listen }, { onConnect: wake, onNotify });
  wake();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      if (polls().get(name) === thisPoll) polls().delete(name);
      await polling;
      await sleep?.remove().catch((error: unknown) => {
        log().warn({ loop: name, error: describeError(error) }, "a worker's sleep notice could not be removed");
      });
      await listener?.stop();
      await drain?.();
    },
  };
}

const reconnectMs = 500;
const closeTimeoutMs = 1000;

/** For `schema` and `source`, see `openPool`. `through` is used instead of a separate connection. */
type Listening = {
  databaseUrl: string;
  channel: string;
  schema?: string;
  source?: AddressSource | undefined;
  through?: ListenThrough | undefined;
};

/** Like `listenTo`, over a connection that several listeners share. */
export type ListenThrough = (
  channel: string,
  handlers: Required<ListenHandlers>,
) => Promise<{ stop: () => Promise<void> }>;

/** A channel to listen to. Only tests set `heartbeatMs`. */
export type Channel = Listening & { name: string; heartbeatMs?: number | undefined };

/** Notifications between `onLost` and the next `onConnect` are missed. */
export type ListenHandlers = { onConnect: () => void; onNotify: (payload: string) => void; onLost?: () => void };

/** Listens until `stop`, on a separate connection, and reconnects when it breaks. */
export function keepListening(
  { name, through, ...channel }: Channel,
  { onConnect, onNotify, onLost }: ListenHandlers,
): { stop: () => Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let listener = connect();

  async function connect(): Promise<{ stop: () => Promise<void> } | undefined> {
    try {
      const handlers = { onConnect, onNotify, onLost: lose };
      return await (through ? through(channel.channel, handlers) : listenTo(channel, handlers));
    } catch (error) {
      log().warn({ loop: name, error: describeError(error) }, "a worker cannot listen");
      reconnect();
      return undefined;
    }
  }

  function lose(): void {
    onLost?.();
    reconnect();
  }

  function reconnect(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      listener = connect();
    }, reconnectMs);
  }

  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await (await listener)?.stop();
    },
  };
}

/**
 * Listens to one channel on a separate connection. `onLost` is called once, when the connection ends or a heartbeat gets
 * no answer. Throws if it can't connect.
 */
export async function listenTo(
  { databaseUrl, channel, heartbeatMs = 5000, schema, source }: Omit<Channel, "name" | "through">,
  { onConnect, onNotify, onLost }: Required<ListenHandlers>,
): Promise<{ stop: () => Promise<void> }> {
  const client = new WritableClient({
    ...serverOptions(databaseUrl),
    schema,
    source,
    connectionTimeoutMillis: 5000,
    query_timeout: heartbeatMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // A failed attempt throws, so it must not call `onLost` too.
  let isListening = false;
  let heartbeat: NodeJS.Timeout | undefined;

  function lose(): void {
    if (!isListening) return;
    isListening = false;
    clearTimeout(heartbeat);
    client.connection.stream.destroy();
    onLost();
  }

  async function beat(): Promise<void> {
    try {
      await client.query("select");
    } catch {
      return lose();
    }
    if (isListening) heartbeat = setTimeout(beat, heartbeatMs);
  }

  client.on("notification", ({ payload = "" }) => onNotify(payload));
  client.on("error", lose);
  client.on("end", lose);
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  isListening = true;
  heartbeat = setTimeout(beat, heartbeatMs);
  onConnect();
  return {
    stop: async () => {
      isListening = false;
      clearTimeout(heartbeat);
      const timeout = setTimeout(() => client.connection.stream.destroy(), closeTimeoutMs);
      await client.end().catch(() => undefined);
      clearTimeout(timeout);
    },
  };
}
