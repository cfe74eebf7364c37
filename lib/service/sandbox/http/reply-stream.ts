import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import type { Reply } from "../../http/frame/answer-request.ts";
import { type Refusal, refuse } from "../../http/frame/refusal.ts";
import { type EventStreamOptions, openEventStream } from "../events/event-stream.ts";

/** Answers with a stream of events, or refuses one more than a client may have. Decision D20 */
export function replyStream<Event extends SandboxEvent>(options: EventStreamOptions<Event>): Reply | Refusal {
  const stream = openEventStream(options);
  if (!stream) return refuse("rate_limited", { cause: "client_streams", detail: "Close one of your streams first." });
  return { status: 200, headers: { "content-type": "text/event-stream" }, stream };
}
