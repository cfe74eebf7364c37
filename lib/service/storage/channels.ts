import { serviceConfig } from "../config.ts";

/**
 * The PostgreSQL channels on which the service tells its processes that there may be something to do. Triggers of the
 * migrations notify some of them, and their text can not change any more: channels.test.ts compares.
 */
export const channels = {
  deliveries: "service_deliveries",
  transfers: "service_transfers",
  screenings: "service_screenings",
  sandboxEvents: "service_sandbox_events",
} as const;

/** Where a wake loop of the service listens. */
export function listenOn(channel: (typeof channels)[keyof typeof channels]) {
  return { databaseUrl: serviceConfig().databaseDirectUrl, channel };
}
