import * as z from "zod/mini";
import { callService } from "./call-service.ts";
import { readConsoleClientOf } from "./console-session.ts";
import { isOwnRequest } from "./own-request.ts";

// One segment after another: nothing in it leads out of /sandbox.
const sandboxPath = /^\/sandbox(\/[\w-]+)+$/;

const askedCall = z.object({
  method: z.enum(["POST", "PUT", "DELETE"]),
  path: z.string().check(z.regex(sandboxPath)),
  body: z.optional(z.unknown()),
});

/**
 * Makes a call of the sandbox for the signed-in client, and answers with its status and body. 400 when it is none of the
 * sandbox, 401 for nobody, 403 for another site's request; 504, which the service itself never answers, when it gave no answer.
 */
export async function answerCall(request: Request): Promise<Response> {
  if (!isOwnRequest(request)) return told(403);
  const client = await readConsoleClientOf(request);
  if (!client) return told(401);
  const asked = askedCall.safeParse(await request.json().catch(() => undefined));
  if (!asked.success) return told(400);
  const { method, path, body } = asked.data;
  try {
    const answer = await callService(client, path, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    return told(answer.status, await answer.text());
  } catch {
    return told(504);
  }
}

function told(status: number, body = "null"): Response {
  return new Response(body, { status, headers: { "content-type": "application/json", "cache-control": "no-store" } });
}
