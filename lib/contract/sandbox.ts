import * as z from "zod/mini";
import { timestamp } from "./text.ts";

/** Answer to `GET /sandbox/messages?phone=`: the texts that the service sent, newest first. Decision D16 */
export const messageList = z.object({
  messages: z.array(z.object({ id: z.string(), phone: z.string(), text: z.string(), sent_at: timestamp })),
});
export type MessageList = z.infer<typeof messageList>;
