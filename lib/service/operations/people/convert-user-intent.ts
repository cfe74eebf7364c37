import type { UserStatus } from "../../../contract/statuses.ts";
import { newId } from "../../../kit/ids.ts";
import { mergeMetadata } from "../../domain/merge-metadata.ts";
import { openWallet } from "../../storage/accounts.ts";
import type { Db } from "../../storage/database.ts";
import { deleteScreening } from "../../storage/screenings.ts";
import {
  listMetadataOfUser,
  lockUserIntent,
  type UserIntent,
  updateUserIntentStatus,
} from "../../storage/user-intents.ts";
import { findUser, findUserByPhone, insertUser, lockUser, type User, updateUserMetadata } from "../../storage/users.ts";

/** The user whom an intent became, or `phone_taken`: its phone belongs to the business, or to a user with another email. */
export type Conversion = { kind: "user"; user: User } | { kind: "phone_taken" };

/**
 * Makes an intent a user, at the moment when its person has authenticated: the user gets the status that the intent had. An
 * existing user of that phone and email is used, with the metadata of both. Converting twice finds the first user, and
 * announces nothing.
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
    await updateUserIntentStatus(tx, intent, { status: "converted_to_user", userId: conversion.user.id });
  }
  return conversion;
}

async function findOrCreateUser(tx: Db, intent: UserIntent): Promise<Conversion> {
  const { clientId, firstName, lastName, email, phone, metadata, rejectionReasons } = intent;
  const created = await insertUser(tx, {
    id: newId(),
    clientId,
    userType: "personal",
    // Only a conversion gives the last status, and this one was not converted.
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
  // An intent pre-registers a personal user: knowing the phone and email of the business does not make anybody the business.
  const isSamePerson = existing.userType === "personal" && existing.email.toLowerCase() === email.toLowerCase();
  if (!isSamePerson) return { kind: "phone_taken" };
  // Its status stays, so a decision about this second intent has nothing to decide.
  await deleteScreening(tx, intent.id);
  const user = await lockUser(tx, existing.id);
  if (!user) throw new Error("A user is never deleted.");
  const given = await listMetadataOfUser(tx, { userIntentId: intent.id, userId: user.id });
  return { kind: "user", user: await updateUserMetadata(tx, user, mergeMetadata(given)) };
}
