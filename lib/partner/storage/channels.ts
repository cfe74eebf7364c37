import { partnerConfig } from "../config.ts";

/** The PostgreSQL channel that tells the worker of webhooks to apply. */
export const webhooksChannel = "harbor_work";

/** Where a wake loop of Harbor listens. */
export function listenOn(channel: typeof webhooksChannel) {
  return { databaseUrl: partnerConfig().databaseUrl, channel };
}
