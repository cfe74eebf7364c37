import type { Partner } from "../partner.ts";

export const channels = {
  webhooks: "harbor_work",
  messages: "harbor_messages",
  batches: "harbor_batches",
  changes: "harbor_changes",
  clock: "harbor_clock",
} as const;

export function listenOn(partner: Partner, channel: (typeof channels)[keyof typeof channels]) {
  return { databaseUrl: partner.config.databaseDirectUrl, channel, through: partner.listen };
}
