import * as z from "zod/mini";
import {
  type IdentityVerificationToken,
  identityVerificationRequest,
  identityVerificationToken,
} from "../../../contract/identity-verification.ts";
import { limits } from "../../../contract/limits.ts";
import {
  type CreatedUserIntent,
  createdUserIntent,
  createUserIntentRequest,
  type UserIntentRecord,
  type UserRecord,
  userIntentRecord,
  userRecord,
} from "../../../contract/people.ts";
import type { UserIntentStatus, UserStatus } from "../../../contract/statuses.ts";
import { uuid } from "../../../contract/text.ts";
import { serviceConfig } from "../../config.ts";
import {
  createUserIntent,
  readUserIntent,
  readUserIntentAsCreated,
  type UserIntent,
  type UserIntentWithUser,
} from "../../operations/people/create-user-intent.ts";
import { verifyPartnerIdentity } from "../../operations/people/verify-partner-identity.ts";
import type { User } from "../../operations/tokens/authenticate.ts";
import { replyCreated } from "../frame/answer-request.ts";
import { defineRoute, type Route } from "../frame/define-route.ts";
import { refuse, refuseFields } from "../frame/refusal.ts";

const createUserIntentRoute = defineRoute({
  operation: "createUserIntent",
  method: "POST",
  path: "/v1/user_intent",
  who: "client",
  replay: async (id) => presentCreatedUserIntent(await readUserIntentAsCreated(id)),
  body: createUserIntentRequest,
  documentation: {
    summary: "Pre-register a person",
    description:
      "The screening decides a moment later; a `user_intent_updated` webhook announces approved and rejected. A phone belongs to one user per client.",
    answer: { status: 201, body: createdUserIntent },
    refusals: ["person_not_permitted"],
  },
  handle: async ({ caller: { client }, body, idempotency, traceId }) => {
    const outcome = await createUserIntent(body, { clientId: client.id, traceId, idempotency });
    switch (outcome.kind) {
      case "created":
      case "replayed":
        return replyCreated(outcome.kind, presentCreatedUserIntent(outcome.intent));
      case "person_not_permitted":
        return refuse(outcome.kind, { cause: outcome.cause });
      default:
        return refuse(outcome.kind);
    }
  },
});

const readUserIntentRoute = defineRoute({
  operation: "readUserIntent",
  method: "GET",
  path: "/v1/user_intent/:id",
  who: "client",
  params: z.object({ id: uuid }),
  documentation: {
    summary: "Read a user intent",
    description: "Does not contain the social security number, date of birth or address.",
    answer: { status: 200, body: userIntentRecord },
  },
  handle: async ({ caller: { client }, params: { id } }) => {
    const found = await readUserIntent({ id, clientId: client.id });
    return found ? { status: 200, body: presentUserIntent(found) } : refuse("not_found");
  },
});

const readUserRoute = defineRoute({
  operation: "readUser",
  method: "GET",
  path: "/v1/user",
  who: "user",
  documentation: {
    summary: "Read the user of the token",
    answer: { status: 200, body: userRecord },
  },
  handle: ({ caller: { user } }) => ({ status: 200, body: presentUser(user) }),
});

const verifyPartnerIdentityRoute = defineRoute({
  operation: "verifyPartnerIdentity",
  method: "POST",
  path: "/v1/partner/identity/verification",
  who: "client",
  permit: ({ client }) =>
    client.isTrustedAuthenticationEnabled ? undefined : refuse("trusted_authentication_not_enabled"),
  body: identityVerificationRequest,
  documentation: {
    summary: "Mint an identity verification token",
    description: `Calls your customer endpoint before it responds (see callbacks), so a server with a single thread or worker would deadlock: serve the customer endpoint on its own thread. The token opens the authorization page once, within ${limits.identityVerificationTokenSeconds} seconds; if \`trusted\` is false, the page asks for a code.`,
    answer: { status: 200, body: identityVerificationToken },
    refusals: ["trusted_authentication_not_enabled", "customer_mismatch", "not_found", "customer_endpoint_failed"],
  },
  handle: async ({ caller: { client }, body: request, traceId }) => {
    const outcome = await verifyPartnerIdentity(request, { client, traceId });
    switch (outcome.kind) {
      case "verified": {
        const { token, expiresAt, isTrusted } = outcome;
        const body: IdentityVerificationToken = { token, expires_at: expiresAt.toISOString(), trusted: isTrusted };
        return { status: 200, body };
      }
      case "wrong_provider":
        return refuseFields([{ field: "provider", message: "Must be the provider configured for the client." }]);
      case "not_found":
        return refuse("not_found");
      case "customer_endpoint_failed": {
        const { kind, cause, wrongFields } = outcome;
        const detail =
          wrongFields.length > 0
            ? `These fields of your customer record are missing or malformed: ${wrongFields.join(", ")}.`
            : addressAdvice(cause);
        return refuse(kind, { cause, ...(detail && { detail }) });
      }
      default:
        return refuse(outcome.kind, { cause: outcome.cause });
    }
  },
});

// Outside a sandbox, only the operator may know what a name resolves to.
function addressAdvice(cause: string): string | undefined {
  if (cause !== "ADDRESS_REFUSED" || serviceConfig().mode !== "sandbox") return undefined;
  return "Your customer endpoint is at an address that is neither public nor loopback: allow its network with SERVICE_OUTBOUND_NETWORKS (the log names it).";
}

export const peopleRoutes: Route[] = [
  createUserIntentRoute,
  readUserIntentRoute,
  readUserRoute,
  verifyPartnerIdentityRoute,
];

/** The response to a creation repeats only the request's metadata. */
export function presentCreatedUserIntent({ id, metadata, createdAt }: UserIntent): CreatedUserIntent {
  return { id, status: "pending", ...(metadata && { metadata }), created_at: createdAt.toISOString() };
}

/** Without the ssn, date of birth and address (Decision D6). */
export function presentUserIntent({ intent, userStatus }: UserIntentWithUser): UserIntentRecord {
  return {
    id: intent.id,
    status: intent.status,
    kyc_type: kycTypeOf(userStatus ?? intent.status),
    first_name: intent.firstName,
    last_name: intent.lastName,
    email: intent.email,
    phone: intent.phone,
    ...(intent.metadata && { metadata: intent.metadata }),
    rejection_reasons: intent.rejectionReasons,
    user_id: intent.userId,
    created_at: intent.createdAt.toISOString(),
    updated_at: intent.updatedAt.toISOString(),
  };
}

export function presentUser(user: User): UserRecord {
  return {
    id: user.id,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    phone: user.phone,
    kyc_type: kycTypeOf(user.status),
    ...(user.metadata && { metadata: user.metadata }),
    receive_only: false,
    rejection_reasons: user.rejectionReasons,
    status: user.status,
    user_type: user.userType,
  };
}

// Decision D7: verified once approved. Only an approved user can be suspended.
function kycTypeOf(status: UserStatus | UserIntentStatus): "verified" | "unverified" {
  return status === "approved" || status === "suspended" ? "verified" : "unverified";
}
