import { isUndecided, type UserStatus } from "../../../contract/statuses.ts";
import { newId } from "../../../kit/ids.ts";
import { mergeMetadata } from "../../domain/merge-metadata.ts";
import { openWallet } from "../../storage/accounts.ts";
import type { Db } from "../../storage/database.ts";
import {
  findUser,
  findUserByPhone,
  insertUser,
  listMetadataOfUser,
  lockUser,
  lockUserIntent,
  type User,
  type UserIntent,
  updateUserIntentStatus,
  updateUserMetadata,
} from "../../storage/people.ts";
import { deleteScreening } from "../../storage/screenings.ts";

/** `phone_taken`: the phone belongs to the business or to a user with another email. */
export type Conversion = { kind: "user"; user: User } | { kind: "phone_taken" };

/**
 * Converts an intent into a user with the same status, once its person has authenticated. If a user has the intent's
 * phone and email, the intent joins that user and metadata is merged. Idempotent; sends no webhook.
 */
export async function convertUserIntent(tx: Db, userIntentId: string): Promise<Conversion> {
  const intent = await lockUserIntent(tx, userIntentId);
  if (!intent) throw new Error("The intent to convert does not exist.");
  if (intent.userId !== null) {
    const user = await findUser(tx, { id: intent.userId, clientId: intent.clientId });
    if (!user) throw new Error("A converted intent has its user.");
    return { kind: "user", user };
  }
  const conversion = await findOrCreateUser(tx, intent);
  if (conversion.kind === "user") {
    const [userId, wasDecided] = [conversion.user.id, !isUndecided(intent.status)];
    await updateUserIntentStatus(tx, intent, { status: "converted_to_user", userId, wasDecided });
  }
  return conversion;
}

async function findOrCreateUser(tx: Db, intent: UserIntent): Promise<Conversion> {
  const { clientId, firstName, lastName, email, phone, metadata, rejectionReasons } = intent;
  const created = await insertUser(tx, {
    id: newId(),
    clientId,
    userType: "personal",
    // Every status but converted_to_user, which this intent can't have yet.
    status: intent.status as UserStatus,
    firstName,
    lastName,
    email,
    phone,
    metadata,
    rejectionReasons,
  });
  if (created) {
    if (created.status === "approved") await openWallet(tx, created);
    return { kind: "user", user: created };
  }
  const existing = await findUserByPhone(tx, { clientId, phone });
  if (!existing) throw new Error("The phone belongs to a user.");
  // Intents are for personal users: knowing the business's phone and email must not give access to it.
  const isSamePerson = existing.userType === "personal" && existing.email.toLowerCase() === email.toLowerCase();
  if (!isSamePerson) return { kind: "phone_taken" };
  // The existing user keeps its status, so this intent needs no screening.
  await deleteScreening(tx, intent.id);
  const user = await lockUser(tx, existing.id);
  if (!user) throw new Error("A user is never deleted.");
  const given = await listMetadataOfUser(tx, { userIntentId: intent.id, userId: user.id });
  return { kind: "user", user: await updateUserMetadata(tx, user, mergeMetadata(given)) };
}
