import { describeError } from "./describe-error.ts";
import { log } from "./log.ts";
import { serverOptions, WritableClient } from "./writable-client.ts";

const reconnectMs = 500;
// How long an orderly end may take.
const goodbyeMs = 1000;

/** A channel of a database, and what its listener is called in the log. `heartbeatMs` is 5 s unless a test sets it. */
export type Channel = { name: string; databaseUrl: string; channel: string; heartbeatMs?: number | undefined };

/** What a listener hears. Between `onLost` and the next `onConnect` nothing was heard, whatever was notified meanwhile. */
export type Hearing = { onConnect: () => void; onNotify: (payload: string) => void; onLost?: () => void };

/** Listens until `stop`, on a connection of its own, which is made again for as long as it breaks or cannot be made. */
export function keepListening(
  { name, ...channel }: Channel,
  { onConnect, onNotify, onLost }: Hearing,
): { stop: () => Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let listener = connect();

  async function connect(): Promise<{ stop: () => Promise<void> } | undefined> {
    try {
      return await listenTo(channel, { onConnect, onNotify, onLost: lose });
    } catch (error) {
      log().warn({ loop: name, error: describeError(error) }, "a worker cannot listen");
      connectAgain();
      return undefined;
    }
  }

  function lose(): void {
    onLost?.();
    connectAgain();
  }

  function connectAgain(): void {
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
 * Listens to one channel on a connection of its own. `onConnect` is called once it listens, `onNotify` for each
 * notification with its payload, `onLost` once when the connection ends after that and before `stop`, or leaves a heartbeat
 * unanswered, as one does that is lost without a word. Throws when no connection can be made.
 */
export async function listenTo(
  { databaseUrl, channel, heartbeatMs = 5000 }: Omit<Channel, "name">,
  { onConnect, onNotify, onLost }: Required<Hearing>,
): Promise<{ stop: () => Promise<void> }> {
  const client = new WritableClient({
    ...serverOptions(databaseUrl),
    connectionTimeoutMillis: 5000,
    query_timeout: heartbeatMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // A failed attempt also emits "error" or "end". It throws already, so it is not reported a second time.
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
      const goodbye = setTimeout(() => client.connection.stream.destroy(), goodbyeMs);
      await client.end().catch(() => undefined);
      clearTimeout(goodbye);
    },
  };
}
