import { limits } from "../../../contract/limits.ts";
import { type IdempotencyKeyList, idempotencyKeyList } from "../../../contract/sandbox.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { listIdempotencyKeys } from "../list-idempotency-keys.ts";

/** The idempotency keys of a client and what they stand for. Decision D16 */
export const sandboxIdempotencyKeyRoutes: Route[] = [
  defineRoute({
    operation: "listSandboxIdempotencyKeys",
    method: "GET",
    path: "/sandbox/idempotency_keys",
    who: "client",
    documentation: {
      summary: "List idempotency keys",
      description: `The newest ${limits.pageSizeMax} that stand for something or were voided, newest first, each with what it created and with the fingerprint that events show in its place.`,
      answer: { status: 200, body: idempotencyKeyList },
    },
    handle: async ({ caller: { client } }) => {
      const keys = await listIdempotencyKeys(client.id);
      const body: IdempotencyKeyList = {
        idempotency_keys: keys.map(({ key, fingerprint, operation, userId, resourceId, createdAt, voidedAt }) => ({
          key,
          fingerprint,
          operation,
          user_id: userId,
          resource_id: resourceId,
          created_at: createdAt.toISOString(),
          voided_at: voidedAt?.toISOString() ?? null,
        })),
      };
      return { status: 200, body };
    },
  }),
];
