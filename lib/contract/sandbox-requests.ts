import * as z from "zod/mini";
import { timestamp } from "./text.ts";

/**
 * One API request, redacted: ssn, date of birth, address, tokens, codes and secrets are never in it. `id` grows
 * with time and is the event id of the stream; `trace_id` joins what one action caused. `status` is null when no answer was
 * sent. Decision D16
 */
export const requestRecord = z.object({
  id: z.string(),
  request_id: z.string(),
  trace_id: z.string(),
  operation: z.string(),
  method: z.string(),
  path_template: z.string(),
  path: z.string(),
  status: z.nullable(z.number()),
  reason: z.nullable(z.string()),
  duration_ms: z.number(),
  request_body: z.unknown(),
  response_body: z.unknown(),
  answered_at: timestamp,
});
export type RequestRecord = z.infer<typeof requestRecord>;

/** Answer to `GET /sandbox/requests`: the last requests of the client (`limits.requestsKeptMax`), newest first. */
export const requestList = z.object({ requests: z.array(requestRecord) });
export type RequestList = z.infer<typeof requestList>;

/** Answer to `GET /sandbox/requests/stream`: server-sent events, each `data` a request record. */
export const eventStream = z.string();
