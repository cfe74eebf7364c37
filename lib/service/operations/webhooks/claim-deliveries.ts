import { decryptText } from "../../../kit/encryption.ts";
import { serviceConfig } from "../../config.ts";
import { database } from "../../storage/database.ts";
import {
  type ClaimedDelivery,
  claimDeliveries as claimDueDeliveries,
  claimProbes,
} from "../../storage/delivery-claims.ts";
import { makeDeliveriesDue, parkDeliveries, type QueueStep } from "../../storage/delivery-queue.ts";
import { type Quarantined, releaseFromQuarantine } from "../../storage/quarantine.ts";
import { webhookSecretContext } from "../../storage/webhook-endpoints.ts";
import { setAside } from "../set-aside.ts";

/** A claimed delivery with its secrets readable. */
export type SendableDelivery = ClaimedDelivery & { secrets: string[] };

const batchSize = 512;
const endpointsMax = 256;
// Longer than an attempt can take (10 s) and be written down.
const leaseSeconds = 30;
// As many as one statement moves without being felt.
const movedMax = 1000;
const movedPerClientMax = 128;

/**
 * Takes due deliveries for this process to attempt, of the clients after `after`: at most `perClientMax` of each,
 * `perQuickClientMax` of a quick one, and none of a busy one. An endpoint whose secret cannot be read is set aside with its deliveries, and the others are sent. `parked`:
 * how many were found to have to wait; `next`: where to go on, undefined after the last client.
 */
export async function claimDeliveries(claim: {
  after: string;
  perClientMax: number;
  quickClientIds: string[];
  perQuickClientMax: number;
  busyClientIds: string[];
}): Promise<{ deliveries: SendableDelivery[]; parked: number; next: string | undefined }> {
  const step = await claimDueDeliveries(database(), { batchSize, leaseSeconds, ...claim });
  const clientIds = step.unusableClientIds;
  const parked =
    clientIds.length === 0 ? 0 : await parkDeliveries(database(), { clientIds, perClientMax: movedPerClientMax });
  return { deliveries: await toSendable(step.deliveries), parked, next: step.next };
}

/** Takes one delivery of each endpoint that fails as a whole and may be tried again. */
export async function claimDueProbes(): Promise<SendableDelivery[]> {
  return toSendable(await claimProbes(database(), { limit: endpointsMax, leaseSeconds }));
}

/** Finds what has fallen due, and what waited for an endpoint that has come to work. */
export function arrangeDeliveries(): Promise<QueueStep> {
  return makeDeliveriesDue(database(), {
    fallenDueMax: movedMax,
    endpointsMax,
    perClientMax: movedPerClientMax,
  });
}

async function toSendable(claimed: ClaimedDelivery[]): Promise<SendableDelivery[]> {
  const { secrets, unreadable } = await openSecrets(claimed);
  await setAside("webhook_endpoint", unreadable);
  const deliveries = claimed.flatMap((delivery) => {
    const own = secrets.get(delivery.clientId);
    return own ? [{ ...delivery, secrets: own }] : [];
  });
  const mended = new Set(deliveries.filter(({ wasSetAside }) => wasSetAside).map(({ clientId }) => clientId));
  if (mended.size > 0) await releaseFromQuarantine(database(), "webhook_endpoint", [...mended]);
  return deliveries;
}

/** The secrets of each endpoint in a claimed set, the present one first, decrypted once; and those that cannot be. */
async function openSecrets(claimed: ClaimedDelivery[]) {
  const secrets = new Map<string, string[]>();
  const unreadable: Quarantined[] = [];
  const endpoints = new Map(claimed.map((delivery) => [delivery.clientId, delivery]));
  await Promise.all(
    [...endpoints.values()].map(async ({ clientId, secretEncrypted, previousSecretEncrypted }) => {
      const open = (encrypted: string) =>
        decryptText(encrypted, webhookSecretContext(clientId), serviceConfig().keyring);
      const encrypted = [secretEncrypted, ...(previousSecretEncrypted === null ? [] : [previousSecretEncrypted])];
      try {
        secrets.set(clientId, await Promise.all(encrypted.map(open)));
      } catch {
        unreadable.push({ id: clientId, reason: "its secret cannot be decrypted" });
      }
    }),
  );
  return { secrets, unreadable };
}
