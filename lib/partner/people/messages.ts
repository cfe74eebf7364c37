import { type ProviderModule, requireAnswer, sendOutcome } from "../../contract/providers.ts";
import { newId } from "../../kit/ids.ts";
import { createOutboxSender, type OutboxSender } from "../../kit/outbox.ts";
import { decryptText, encryptText } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import type { Db } from "../storage/database.ts";
import { insertMessage, listStoredMessages, type StoredMessage } from "./storage.ts";

/** A phone in E.164 for a text, or an email address in lower case. */
export type Recipient = { phone: string } | { email: string };

/** `subject`: for emails; never contains a code, because locked phones show it. Useless after `endsInSeconds`. */
export type MessageContent = { subject: string; text: string; endsInSeconds: number };

export type Carriers = Required<Pick<ProviderModule, "sendText" | "sendEmail">>;

/** `sentAt` is ISO 8601. */
export type Message = { id: string; kind: "text" | "email"; subject: string | null; text: string; sentAt: string };

/**
 * Stores a text or email. A worker passes it to the carrier (`createMessageSender`); a sandbox shows it only to the
 * browser with its challenge.
 */
export async function sendMessage(
  partner: Partner,
  tx: Db,
  { to, content, challengeId }: { to: Recipient; content: MessageContent; challengeId: string },
): Promise<void> {
  const id = newId();
  const { subject, text, endsInSeconds } = content;
  const textEncrypted = await encryptText(text, contextOf(id), partner.config.keyring);
  const message = { id, ...to, ...("email" in to && { subject }), challengeId, textEncrypted };
  await insertMessage(tx, { ...message, isForCarrier: !partner.config.isSandbox, endsInSeconds });
}

type WaitingMessage = { phone: string | null; email: string | null; subject: string | null; text_encrypted: string };

/** Passes waiting messages to the carriers. */
export function createMessageSender({ pool, config }: Partner, { sendText, sendEmail }: Carriers): OutboxSender {
  return createOutboxSender<WaitingMessage>({
    pool,
    table: "messages",
    columns: ["phone", "email", "subject", "text_encrypted"],
    send: async ({ id, phone, email, subject, text_encrypted }, call) => {
      const text = await decryptText(text_encrypted, contextOf(id), config.keyring);
      const sent =
        email === null
          ? sendText({ id, to: phone ?? "", text }, call)
          : sendEmail({ id, to: email, subject: subject ?? "", text }, call);
      return requireAnswer(sendOutcome, await sent);
    },
  });
}

/** A challenge's recent messages, newest last; only a sandbox shows them. */
export async function listMessages(partner: Partner, challengeId: string): Promise<Message[]> {
  const stored = await listStoredMessages(partner.db, challengeId);
  return Promise.all(stored.map((message) => decrypted(partner, message)));
}

/** The key that limits count a recipient by. */
export function addressOf(to: Recipient): string {
  return "email" in to ? to.email : to.phone;
}

async function decrypted(
  partner: Partner,
  { id, email, subject, textEncrypted, sentAt }: StoredMessage,
): Promise<Message> {
  return {
    id,
    kind: email === null ? "text" : "email",
    subject,
    text: await decryptText(textEncrypted, contextOf(id), partner.config.keyring),
    sentAt: sentAt.toISOString(),
  };
}

function contextOf(id: string): string {
  return `messages.text:${id}`;
}
