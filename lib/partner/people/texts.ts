import { decryptText, encryptText } from "../../kit/encryption.ts";
import { newId } from "../../kit/ids.ts";
import type { Partner } from "../partner.ts";
import type { Db } from "../storage/database.ts";
import { insertText, listTextsOfChallenge, listTextsOfPerson, type StoredText } from "./storage.ts";

/** `sentAt` is ISO 8601. */
export type Text = { id: string; text: string; sentAt: string };

/** Who may read a text: a challenge's browser or a person, never everyone with this number. */
export type TextReader = { challengeId: string; personId?: undefined } | { personId: string; challengeId?: undefined };

/** "Sends" a text by storing it for the sandbox's phone. A carrier's API would be called by a worker. */
export async function sendText(
  partner: Partner,
  tx: Db,
  { phone, text, reader }: { phone: string; text: string; reader: TextReader },
) {
  const id = newId();
  const textEncrypted = await encryptText(text, contextOf(id), partner.config.keyring);
  await insertText(tx, { id, phone, ...reader, textEncrypted });
}

/** This reader's newest texts, the newest last; only a sandbox shows them. */
export async function listTexts(partner: Partner, reader: TextReader): Promise<Text[]> {
  const stored = await (reader.personId
    ? listTextsOfPerson(partner.db, reader.personId)
    : listTextsOfChallenge(partner.db, reader.challengeId ?? ""));
  return Promise.all(stored.map((text) => decrypted(partner, text)));
}

async function decrypted(partner: Partner, { id, textEncrypted, sentAt }: StoredText): Promise<Text> {
  return {
    id,
    text: await decryptText(textEncrypted, contextOf(id), partner.config.keyring),
    sentAt: sentAt.toISOString(),
  };
}

function contextOf(id: string): string {
  return `texts.text:${id}`;
}
