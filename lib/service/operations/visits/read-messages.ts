import { limits } from "../../../contract/limits.ts";
import { decryptText } from "../../../kit/encryption.ts";
import { serviceConfig } from "../../config.ts";
import { providers } from "../../providers.ts";
import { database } from "../../storage/database.ts";
import { listMessages, messageContext } from "../../storage/phones.ts";
import { findVisitByKey, type VisitKey } from "./visit-key.ts";

/** A text that the service sent, readable; `sentAt` is ISO 8601. */
export type ReadableMessage = { id: string; phone: string; text: string; sentAt: string };

/** The newest texts of one client's phone, newest first. Only where texts are shown: they hold verification codes. */
export async function readMessages(clientId: string, phone: string): Promise<ReadableMessage[]> {
  const { keyring } = serviceConfig();
  const messages = await listMessages(database(), { clientId, phone, limit: limits.messagesMax });
  return Promise.all(
    messages.map(async ({ id, phone, textEncrypted, sentAt }) => {
      const text = await decryptText(textEncrypted, messageContext(id), keyring);
      return { id, phone, text, sentAt: sentAt.toISOString() };
    }),
  );
}

/** What the sandbox's phone shows while a visit waits for its code, newest last; undefined at any other time, and where texts are not shown. */
export async function readVisitMessages(key: VisitKey): Promise<ReadableMessage[] | undefined> {
  if (!providers().showsTexts) return undefined;
  const visit = await findVisitByKey(database(), key);
  if (visit?.step !== "verification_code" || visit.isExpired) return undefined;
  return (await readMessages(visit.clientId, visit.phone)).toReversed();
}
