import { decryptBytes } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { ProviderFailedError } from "../../providers.ts";
import { database } from "../../storage/database.ts";
import { findIdentitySubmission, type IdentitySubmission, submissionContext } from "../../storage/screenings.ts";
import { getPhoto } from "./photo-storage.ts";

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
