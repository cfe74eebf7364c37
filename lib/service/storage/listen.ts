import pg from "pg";
import { serviceConfig } from "../config.ts";

/**
 * Listens to one channel on a connection of its own. `onConnect` is called once it listens, `onNotify` for each
 * notification, `onLost` once when the connection ends before `stop`. Throws when no connection can be made.
 */
export async function listenTo(
  channel: string,
  { onConnect, onNotify, onLost }: { onConnect: () => void; onNotify: () => void; onLost: () => void },
): Promise<{ stop: () => Promise<void> }> {
  const client = new pg.Client({
    connectionString: serviceConfig().databaseUrl,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  let isOver = false;
  function lose(): void {
    if (isOver) return;
    isOver = true;
    onLost();
  }
  client.on("notification", onNotify);
  client.on("error", lose);
  client.on("end", lose);
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    isOver = true;
    await client.end().catch(() => undefined);
    throw error;
  }
  onConnect();
  return {
    stop: async () => {
      isOver = true;
      await client.end().catch(() => undefined);
    },
  };
}
