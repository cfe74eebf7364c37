import pg from "pg";

/**
 * Listens to one channel on a connection of its own. `onConnect` is called once it listens, `onNotify` for each
 * notification, `onLost` once when the connection ends after that and before `stop`. Throws when no connection can be made.
 */
export async function listenTo(
  databaseUrl: string,
  channel: string,
  { onConnect, onNotify, onLost }: { onConnect: () => void; onNotify: () => void; onLost: () => void },
): Promise<{ stop: () => Promise<void> }> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  // An attempt that fails also emits "error" or "end", but it throws and is not told of twice.
  let isListening = false;
  function lose(): void {
    if (!isListening) return;
    isListening = false;
    onLost();
  }
  client.on("notification", onNotify);
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
  onConnect();
  return {
    stop: async () => {
      isListening = false;
      await client.end().catch(() => undefined);
    },
  };
}
