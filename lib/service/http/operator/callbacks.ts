import { receiveCallback } from "../../operations/receive-callback.ts";
import { answerRequest } from "../frame/answer-request.ts";
import { readBytes } from "../frame/read-request.ts";
import { refuse } from "../frame/refusal.ts";

/** A provider's results. Its module verifies the sender, so no token of ours is asked for. Decision D24 */
export function answerCallback(request: Request, provider: string): Promise<Response> {
  return answerRequest(request, { operation: "receiveCallback" }, async () => {
    const { headers } = request;
    const outcome = await receiveCallback(provider, { headers, body: await readBytes(request) });
    switch (outcome) {
      case "received":
        return { status: 204, body: undefined };
      case "not_found":
        return refuse("not_found");
      case "foreign":
        return refuse("invalid_token", { cause: "callback_not_authentic" });
      case "unreadable":
        return refuse("unavailable", { cause: "callback_unreadable" });
    }
  });
}
