import { photoIdView } from "../../../contract/operator.ts";
import { mediaTypeOf } from "../../domain/identity-submission.ts";
import { database } from "../../storage/database.ts";
import { findUser } from "../../storage/people.ts";
import { findIdentitySubmission } from "../../storage/screenings.ts";
import { readSubmission } from "../people/photo-storage.ts";
import { type ClientChangeOperation, refused } from "./audited-change.ts";

/** Changes nothing, but is recorded like a change, without the photo. */
export const viewPhotoId: ClientChangeOperation<typeof photoIdView> = {
  action: "photo",
  body: photoIdView,
  readPhoto: async (clientId, { user_id }) => {
    const userId = user_id.toLowerCase();
    if (!(await findUser(database(), { id: userId, clientId }))) return undefined;
    const submission = await findIdentitySubmission(database(), { userId, kind: "document" });
    return submission && readSubmission(submission);
  },
  apply: async (tx, { id: clientId }, { user_id }, { photo }) => {
    const userId = user_id.toLowerCase();
    if (!(await findUser(tx, { id: userId, clientId }))) return refused("user_id", "This client has no such person.");
    if (photo) return { kind: "applied", details: { user_id: userId, media_type: mediaTypeOf(photo) ?? null }, photo };
    const submission = await findIdentitySubmission(tx, { userId, kind: "document" });
    // It may have been uploaded after `readPhoto`.
    const isDeleted = submission?.contentEncrypted === null && submission.photoKeyEncrypted === null;
    if (!isDeleted) return refused("user_id", "This person has sent no photo ID.");
    return refused("user_id", "This person's photo ID was deleted at the end of its retention period.");
  },
};
