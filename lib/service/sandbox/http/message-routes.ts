import * as z from "zod/mini";
import { phone } from "../../../contract/people.ts";
import { type MessageList, messageList } from "../../../contract/sandbox.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { readMessages } from "../visit-tools.ts";

/** The texts that the service sent for this client. Decision D16 */
export const sandboxMessageRoutes: Route[] = [
  defineRoute({
    operation: "listSandboxMessages",
    method: "GET",
    path: "/sandbox/messages",
    who: "client",
    query: z.strictObject({ phone }),
    documentation: {
      summary: "List texts sent to a phone",
      description: "Newest first: this is where the verification codes are.",
      answer: { status: 200, body: messageList },
    },
    handle: async ({ caller, query }) => {
      const messages = await readMessages(caller.client.id, query.phone);
      const body: MessageList = {
        messages: messages.map(({ id, phone, text, sentAt }) => ({ id, phone, text, sent_at: sentAt })),
      };
      return { status: 200, body };
    },
  }),
];
