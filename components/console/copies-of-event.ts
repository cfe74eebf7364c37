import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { type Copies, copiesOfRequest } from "#lib/kit/request-copies.ts";

/** How to make the call of an event again; undefined of what the client did not call. */
export function copiesOfEvent(event: SandboxEvent): Copies | undefined {
  if (event.kind !== "call" && event.kind !== "control") return undefined;
  const isBearer = event.kind === "call" && event.facts.authorization === "bearer";
  const body = bodyIn(event.request);
  return copiesOfRequest({
    method: event.method,
    base: "SERVICE_BASE_URL",
    path: event.path,
    basic: isBearer ? undefined : { id: "CLIENT_ID", secret: "CLIENT_SECRET" },
    bearer: isBearer ? "ACCESS_TOKEN" : undefined,
    headers: body === undefined ? [] : [["content-type", "application/json"]],
    ...(body !== undefined && { body }),
  });
}

function bodyIn(request: unknown): unknown {
  const body = typeof request === "object" && request !== null && "body" in request ? request.body : undefined;
  return body ?? undefined;
}
