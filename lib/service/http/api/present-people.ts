import type { CreatedUserIntent, UserIntentRecord, UserRecord } from "../../../contract/people.ts";
import type { UserIntentStatus, UserStatus } from "../../../contract/statuses.ts";
import type { UserIntent, UserIntentWithUser } from "../../operations/people/create-user-intent.ts";
import type { User } from "../../operations/tokens/authenticate-access-token.ts";

/** The answer to a creation: what is new about the intent, and nothing that the client sent but the metadata. */
export function presentCreatedUserIntent({ id, metadata, createdAt }: UserIntent): CreatedUserIntent {
  return { id, status: "pending", ...(metadata && { metadata }), created_at: createdAt.toISOString() };
}

/** An intent as its client may read it: never the ssn, date of birth or address (Decision D6). */
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

/** The user record of the published interface. */
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
