import { requireAnswer, type SendText, sendOutcome } from "../../contract/providers.ts";
import { createOutboxSender, type OutboxSender } from "../../kit/outbox.ts";
import { decryptText } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import { countProviderCall } from "../metrics.ts";
import { servicePool } from "../storage/database.ts";
import { messageContext } from "../storage/phones.ts";

/** Hands waiting texts to the carrier. */
export function createTextSender(sendText: SendText): OutboxSender {
  return createOutboxSender<{ phone: string; text_encrypted: string }>({
    pool: servicePool(),
    table: "messages",
    columns: ["phone", "text_encrypted"],
    send: async ({ id, phone: to, text_encrypted }, call) => {
      const text = await decryptText(text_encrypted, messageContext(id), serviceConfig().keyring);
      return requireAnswer(sendOutcome, await sendText({ id, to, text }, call));
    },
    count: (outcome) => countProviderCall("texts", outcome === "sent" ? "answered" : outcome),
  });
}
