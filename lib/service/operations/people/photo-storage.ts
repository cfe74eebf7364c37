import { randomBytes } from "node:crypto";
import type { PhotoIdStorage } from "../../../contract/providers.ts";
import { callWithin, messageWithoutData } from "../../../kit/call-within.ts";
import { isConnectionLost, reasonOf } from "../../../kit/database-errors.ts";
import { log } from "../../../kit/log.ts";
import { decryptBytes, encryptBytes } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { countProviderCall } from "../../metrics.ts";
import { ProviderFailedError, providers } from "../../providers.ts";
import { database } from "../../storage/database.ts";
import {
  claimPhotoDeletions,
  finishPhotoDeletion,
  planPhotoDeletion,
  releasePhotoDeletion,
} from "../../storage/photo-deletions.ts";
import { quarantineRows } from "../../storage/quarantine.ts";
import {
  findIdentitySubmission,
  type IdentitySubmission,
  photoKeyContext,
  submissionContext,
} from "../../storage/screenings.ts";

const timeoutMs = 10_000;
// Longer than a call in flight can take to arrive.
const orphanedAfterMs = 60 * 60 * 1000;
const putsMax = 2;

/**
 * Stores a photo with a provider, encrypted with a key of its own, and returns that key encrypted for the submission's row.
 * Schedules the photo's deletion first: call `cancelPhotoDeletion` to keep it. Throws ProviderFailedError.
 */
export async function putPhoto(storage: PhotoIdStorage, id: string, photo: Uint8Array): Promise<string> {
  const key = randomBytes(32);
  const content = new TextEncoder().encode(await encryptBytes(photo, submissionContext(id), [{ id, bytes: key }]));
  await planPhotoDeletion(database(), id, { afterMs: orphanedAfterMs });
  await call((options) => storage.put({ id, content }, options), { tries: putsMax });
  return encryptBytes(key, photoKeyContext(id), serviceConfig().keyring);
}

/** Undefined once deleted. Don't call it in a transaction, because a provider may store it. Throws ProviderFailedError. */
export async function readSubmission(submission: IdentitySubmission): Promise<Uint8Array | undefined> {
  const { id, contentEncrypted, photoKeyEncrypted } = submission;
  if (photoKeyEncrypted !== null) {
    const photo = await getPhoto(id, photoKeyEncrypted);
    if (photo || (await isDeleted(id))) return photo;
    throw new ProviderFailedError("The photo ID is not where it was stored.");
  }
  if (contentEncrypted === null) return undefined;
  return decryptBytes(contentEncrypted, submissionContext(id), serviceConfig().keyring);
}

// Deleted since the submission was read.
async function isDeleted(id: string): Promise<boolean> {
  return (await findIdentitySubmission(database(), { id }))?.photoKeyEncrypted === null;
}

/** Undefined if the provider has none. Throws ProviderFailedError. */
async function getPhoto(id: string, photoKeyEncrypted: string): Promise<Uint8Array | undefined> {
  const { photoIds } = providers();
  if (!photoIds) throw new ProviderFailedError("This photo ID is stored by photoIds, which PROVIDERS doesn't export.");
  const content = await call((options) => photoIds.get({ id }, options));
  if (content === undefined) return undefined;
  const bytes = await decryptBytes(photoKeyEncrypted, photoKeyContext(id), serviceConfig().keyring);
  return decryptBytes(new TextDecoder().decode(content), submissionContext(id), [{ id, bytes }]).catch(() => {
    throw new ProviderFailedError("photoIds returned a different photo ID from the one stored.");
  });
}

const deletionsMax = 20;

/**
 * Makes the provider delete a batch of photos. Returns 0 if there may be more to do now. A failed deletion is quarantined
 * and retried with backoff and the same id.
 */
export async function deletePhotos(storage: PhotoIdStorage): Promise<number | undefined> {
  const ids = await claimPhotoDeletions(database(), { limit: deletionsMax, leaseMs: 6 * timeoutMs });
  const results = await Promise.allSettled(ids.map((id) => deletePhoto(storage, id)));
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return ids.length === deletionsMax ? 0 : undefined;
}

async function deletePhoto(storage: PhotoIdStorage, id: string): Promise<void> {
  try {
    await call((options) => storage.delete({ id }, options));
    await finishPhotoDeletion(database(), id);
  } catch (error) {
    // Not this row's fault.
    if (isConnectionLost(error)) throw error;
    const reason = error instanceof ProviderFailedError ? `provider: ${error.message}` : reasonOf(error);
    await quarantineRows("photo_deletion", [{ id, reason }]);
    await releasePhotoDeletion(database(), id);
  }
}

async function call<T>(
  work: (options: { signal: AbortSignal }) => Promise<T>,
  { tries = 1 }: { tries?: number } = {},
): Promise<T> {
  try {
    const answer = await callWithin(timeoutMs, work);
    countProviderCall("photo_ids", "answered");
    return answer;
  } catch (error) {
    countProviderCall("photo_ids", "failed");
    const reason = messageWithoutData(error);
    log().warn({ provider: "photo_ids", reason }, "the storage of photo IDs failed");
    if (tries > 1) return call(work, { tries: tries - 1 });
    throw new ProviderFailedError(reason);
  }
}
