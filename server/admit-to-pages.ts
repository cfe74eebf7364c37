import type { IncomingMessage, ServerResponse } from "node:http";
import { limits } from "../lib/contract/limits.ts";
import { logRefusal, refuse, type Sender } from "./plain-answers.ts";
import { hasBody, readBodyWithin, refuseBody, withBody } from "./request-body.ts";
import { type ActionsOfPath, actionsOfForm, namedActions } from "./server-actions.ts";

/** A request that was let in: by whom, for which path. */
export type Admitted = { request: IncomingMessage; response: ServerResponse; path: string; clientAddress: string };

/**
 * The request as Next may see it: its method is known, its body within the limit, its server actions are the page's own.
 * undefined: it has been refused. Next itself would read a body of any size, pass an action on to whichever page holds it,
 * and believe "x-action-forwarded".
 */
export async function admitToPages(
  { request, response, path, clientAddress }: Admitted,
  actionsOf: ActionsOfPath | undefined,
): Promise<IncomingMessage | undefined> {
  const sender = { clientAddress };
  if (!["GET", "HEAD", "POST"].includes(request.method ?? "")) {
    response.setHeader("allow", "GET, HEAD, POST");
    return refuse(request, response, sender, 405, "Only GET, HEAD and POST are allowed here.");
  }
  if (request.headers["x-action-forwarded"] !== undefined) {
    return refuse(request, response, sender, 400, "A server action is not passed on from anywhere.");
  }
  if (!holdsActions(path, namedActions(request), actionsOf)) return refuseAction(request, response, sender);
  if (uploadPath.test(path)) return admitUpload(request);
  if (!hasBody(request)) return request;

  const body = await readBodyWithin(request, limits.requestBytesMax);
  if (body === "cut_off") return undefined;
  if (body === "too_large") {
    logRefusal(request, sender, 413);
    refuseBody(request, response, `A request has at most ${limits.requestBytesMax / 1024} KiB here.`);
    return undefined;
  }
  const ids = await actionsOfForm(request, body);
  return holdsActions(path, ids, actionsOf) ? withBody(request, body) : refuseAction(request, response, sender);
}

// Decision D9: the one form that carries a file. Its own handler reads it, and only for a visit that waits for it; when the
// length is too large or missing, the handler refuses without reading the body.
const uploadPath = /^\/login\/oauth\/authorize\/[^/]+\/document$/;

function admitUpload(request: IncomingMessage): IncomingMessage {
  const bytes = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY);
  return bytes <= limits.photoIdFormBytesMax ? request : withBody(request, Buffer.alloc(0));
}

function holdsActions(path: string, ids: string[] | undefined, actionsOf: ActionsOfPath | undefined): boolean {
  if (!actionsOf) return true;
  const held = actionsOf(path);
  return ids?.every((id) => held.has(id)) ?? false;
}

// With this header Next's own script reloads a page that is older than the server.
function refuseAction(request: IncomingMessage, response: ServerResponse, sender: Sender): undefined {
  response.setHeader("x-nextjs-action-not-found", "1");
  return refuse(request, response, sender, 404, "This page has no such action. Please load it again.");
}
