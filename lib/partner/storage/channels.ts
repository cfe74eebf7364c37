import type { Partner } from "../partner.ts";

/** The PostgreSQL channels of Harbor: webhooks to apply, for the worker; changes of what pages show, for their streams; a clock that was moved, for the worker. */
export const channels = { webhooks: "harbor_work", changes: "harbor_changes", clock: "harbor_clock" } as const;

/** Where a worker or the streams of Harbor listen. */
export function listenOn(partner: Partner, channel: (typeof channels)[keyof typeof channels]) {
  return { databaseUrl: partner.config.databaseDirectUrl, channel };
}
