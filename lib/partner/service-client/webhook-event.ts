import { identifier, optional, recordOf } from "./reading.ts";

/** What a webhook says happened. Only the two user events are published; any other may leave out everything. */
export type WebhookNews = {
  webhook_type?: string | undefined;
  webhook_id?: string | undefined;
  user_id?: string | undefined;
  resource_id?: string | undefined;
};

const readNews = recordOf({
  webhook_type: optional(identifier),
  webhook_id: optional(identifier),
  user_id: optional(identifier),
  resource_id: optional(identifier),
});

/** Reads a webhook's body, whose signature was checked before; undefined when it is no JSON. */
export function readWebhookEvent(body: string): WebhookNews | undefined {
  try {
    const reading = readNews(JSON.parse(body));
    return reading.kind === "ok" ? reading.body : {};
  } catch {
    return undefined;
  }
}
