import pg from "pg";
import { log } from "../../kit/log.ts";
import { partnerConfig } from "../config.ts";
import { workChannel } from "./webhook-receipts.ts";

const secondsUntilReconnect = 1;

/**
 * Calls `onWork` whenever somebody says that there is work, and once after each (re)connect, because what was said
 * meanwhile was not heard. Keeps a connection of its own open until stopped.
 */
export function listenForWork(onWork: () => void): { stop: () => Promise<void> } {
  let isStopped = false;
  let client: pg.Client | undefined;
  let reconnect: NodeJS.Timeout | undefined;

  function connect(): void {
    const next = new pg.Client({ connectionString: partnerConfig().databaseUrl });
    client = next;
    next.on("notification", onWork);
    next.on("error", (error) => log().warn({ error: error.message }, "the line that tells of work broke"));
    next.on("end", scheduleReconnect);
    next
      .connect()
      .then(() => next.query(`listen ${workChannel}`))
      .then(onWork)
      .catch((error: Error) => {
        log().warn({ error: error.message }, "cannot listen for work yet");
        scheduleReconnect();
      });
  }

  function scheduleReconnect(): void {
    if (isStopped) return;
    clearTimeout(reconnect);
    reconnect = setTimeout(connect, secondsUntilReconnect * 1000);
  }

  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(reconnect);
    await client?.end().catch(() => {});
  }

  connect();
  return { stop };
}
