import { decryptText } from "../../../kit/encryption.ts";
import { serviceConfig } from "../../config.ts";
import { database } from "../../storage/database.ts";
import {
  type ClaimedDelivery,
  claimDeliveries as claimDueDeliveries,
  findNextDeliveryMs,
  parkDeliveries,
  reviveWaitingDeliveries,
} from "../../storage/delivery-attempts.ts";
import { type Quarantined, releaseFromQuarantine } from "../../storage/quarantine.ts";
import { webhookSecretContext } from "../../storage/webhook-endpoints.ts";
import { setAside } from "../set-aside.ts";

/** A claimed delivery with its secrets readable. */
export type SendableDelivery = ClaimedDelivery & { secrets: string[] };

const batchSize = 256;
// Longer than an attempt can take (10 s) and be written down.
const leaseSeconds = 30;
// As many as one statement moves without being felt.
const arrangedMax = 1000;

/**
 * Takes due deliveries for this process to attempt, at most `perClientMax` of each client and none of a busy one. An endpoint
 * whose secret cannot be read is set aside with its deliveries, and the others are sent. `isAll`: nothing more is due.
 */
export async function claimDeliveries(claim: {
  perClientMax: number;
  busyClientIds: string[];
}): Promise<{ deliveries: SendableDelivery[]; isAll: boolean }> {
  const claimed = await claimDueDeliveries(database(), { batchSize, leaseSeconds, ...claim });
  const { secrets, unreadable } = await openSecrets(claimed);
  await setAside("webhook_endpoint", unreadable);
  const deliveries = claimed.flatMap((delivery) => {
    const own = secrets.get(delivery.clientId);
    return own ? [{ ...delivery, secrets: own }] : [];
  });
  const mended = new Set(deliveries.filter(({ wasSetAside }) => wasSetAside).map(({ clientId }) => clientId));
  if (mended.size > 0) await releaseFromQuarantine(database(), "webhook_endpoint", [...mended]);
  return { deliveries, isAll: claimed.length === 0 };
}

/**
 * Has what waits for an endpoint follow what became of the endpoint: due once there is one that works, waiting when it was
 * disabled. Returns the milliseconds until the next delivery falls due; undefined when none does.
 */
export async function arrangeDeliveries({ busyClientIds }: { busyClientIds: string[] }): Promise<number | undefined> {
  const parked = await parkDeliveries(database(), arrangedMax);
  const revived = await reviveWaitingDeliveries(database(), arrangedMax);
  return Math.max(parked, revived) === arrangedMax ? 0 : findNextDeliveryMs(database(), busyClientIds);
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
