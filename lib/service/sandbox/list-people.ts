import { limits } from "../../contract/limits.ts";
import { database } from "../storage/database.ts";
import { listUserIntents as listNewestUserIntents, type UserIntentWithUser } from "../storage/user-intents.ts";
import { listUsers as listNewestUsers, type User } from "../storage/users.ts";

/** A client's newest intents, newest first, at most `limits.pageSizeMax`. */
export function listUserIntents(clientId: string): Promise<UserIntentWithUser[]> {
  return listNewestUserIntents(database(), { clientId, limit: limits.pageSizeMax });
}

/** A client's newest users, newest first, at most `limits.pageSizeMax`. */
export function listUsers(clientId: string): Promise<User[]> {
  return listNewestUsers(database(), { clientId, limit: limits.pageSizeMax });
}
