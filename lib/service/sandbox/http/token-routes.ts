import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import {
  endedTokens,
  type IdempotencyKeyList,
  idempotencyKeyList,
  type TokenList,
  tokenExpiry,
  tokenList,
} from "../../../contract/sandbox.ts";
import { uuid } from "../../../contract/text.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { refuse } from "../../http/frame/refusal.ts";
import { expireTokens, type FingerprintedToken, listIdempotencyKeys, readTokens, revokeTokens } from "../tokens.ts";

const byId = z.object({ id: uuid });

const listTokensRoute = defineRoute({
  operation: "listSandboxTokens",
  method: "GET",
  path: "/sandbox/tokens",
  who: "client",
  documentation: {
    summary: "List tokens and codes",
    description: `The newest ${limits.pageSizeMax} of each kind, newest first: the owner, expiry, and state of each. Tokens appear as the same fingerprints as in events.`,
    answer: { status: 200, body: tokenList },
  },
  handle: async ({ caller: { client } }) => {
    const { now, tokens } = await readTokens(client.id);
    const body: TokenList = { now: now.toISOString(), tokens: tokens.map(presentToken) };
    return { status: 200, body };
  },
});

const expireTokensRoute = defineRoute({
  operation: "expireSandboxTokens",
  method: "POST",
  path: "/sandbox/users/:id/tokens/expire",
  who: "client",
  params: byId,
  body: tokenExpiry,
  documentation: {
    summary: "Expire a user's tokens of one kind",
    description: "By the client's clock, for this user only. Tokens of the other kind aren't affected.",
    answer: { status: 200, body: endedTokens },
    refusals: ["not_found"],
  },
  handle: async ({ caller: { client }, params, body }) =>
    replyEnded(await expireTokens({ userId: params.id, clientId: client.id }, body)),
});

const revokeTokensRoute = defineRoute({
  operation: "revokeSandboxTokens",
  method: "POST",
  path: "/sandbox/users/:id/tokens/revoke",
  who: "client",
  params: byId,
  documentation: {
    summary: "Revoke a user's authorizations",
    description: "With all their codes and tokens, as if the client had revoked one of them.",
    answer: { status: 200, body: endedTokens },
    refusals: ["not_found"],
  },
  handle: async ({ caller: { client }, params }) =>
    replyEnded(await revokeTokens({ userId: params.id, clientId: client.id })),
});

const listIdempotencyKeysRoute = defineRoute({
  operation: "listSandboxIdempotencyKeys",
  method: "GET",
  path: "/sandbox/idempotency_keys",
  who: "client",
  documentation: {
    summary: "List idempotency keys",
    description: `The newest ${limits.pageSizeMax} used or voided keys, newest first, each with what it created and its fingerprint in events.`,
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
});

/** Tokens, codes, and idempotency keys. Decision D16 */
export const sandboxTokenRoutes: Route[] = [
  listTokensRoute,
  expireTokensRoute,
  revokeTokensRoute,
  listIdempotencyKeysRoute,
];

function replyEnded(ended: number | undefined) {
  return ended === undefined ? refuse("not_found") : { status: 200, body: { ended } };
}

function presentToken({ kind, token, state, ...of }: FingerprintedToken): TokenList["tokens"][number] {
  return {
    kind,
    token,
    state,
    user_id: of.userId,
    user_intent_id: of.userIntentId,
    created_at: of.createdAt.toISOString(),
    expires_at: of.expiresAt.toISOString(),
  };
}
