import { database } from "../../storage/database.ts";
import { findUserIntent, type UserIntentWithUser } from "../../storage/user-intents.ts";

export type { UserIntent, UserIntentWithUser } from "../../storage/user-intents.ts";

/** One intent of this client with the status of the user it became; undefined when missing or another's. */
export function readUserIntent(intent: { id: string; clientId: string }): Promise<UserIntentWithUser | undefined> {
  return findUserIntent(database(), intent);
}
