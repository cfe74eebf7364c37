import { serviceConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import { noteCurrentKey } from "../storage/encryption-keys.ts";

/** Notes since when the current encryption key is in use, so that its age can be watched. For the start of a process. */
export async function noteEncryptionKey(): Promise<void> {
  await noteCurrentKey(database(), serviceConfig().keyring[0].id);
}
