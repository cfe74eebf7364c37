import type { Answer } from "./answer.ts";
import type { CallOptions, CallService } from "./call-service.ts";
import { asUser } from "./credentials.ts";
import { flag, identifier, metadata, optional, plainText, type Read, recordOf } from "./reading.ts";
import { type RejectionReason, rejectionReasons } from "./rejection-reasons.ts";

/** A user as `GET /v1/user` tells. The words of `status`, `user_type` and `kyc_type` are kept as they come: which there are is not published. */
export type User = {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  phone: string;
  status: string;
  user_type: string;
  kyc_type?: string | undefined;
  metadata?: Record<string, string> | undefined;
  receive_only?: boolean | undefined;
  rejection_reasons?: RejectionReason[] | undefined;
};

const readRecord: Read<User> = recordOf({
  id: identifier,
  email: plainText,
  first_name: plainText,
  last_name: plainText,
  phone: plainText,
  status: plainText,
  user_type: plainText,
  kyc_type: optional(plainText),
  metadata: optional(metadata),
  receive_only: optional(flag),
  rejection_reasons: optional(rejectionReasons),
});

/** The calls about users. */
export function userCalls(call: CallService) {
  return {
    /** The user bound to this access token, metadata of its intent included. */
    readUser: (accessToken: string, options: CallOptions = {}): Promise<Answer<User>> =>
      call({ method: "GET", path: "/v1/user", authorization: asUser(accessToken), read: readRecord, ...options }),
  };
}
