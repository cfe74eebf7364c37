import * as z from "zod/mini";
import { userStatuses } from "./statuses.ts";
import { identifier, word } from "./text.ts";
import { rejectionReason } from "./user-intent.ts";

/** Answer to `GET /v1/user`: the user record of the published interface. */
export const userRecord = z.object({
  id: identifier,
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  kyc_type: word(["verified", "unverified"]),
  metadata: z.optional(z.record(z.string(), z.string())),
  receive_only: z.boolean(),
  rejection_reasons: z.array(rejectionReason),
  status: word(userStatuses),
  user_type: word(["personal", "business"]),
});
export type UserRecord = z.infer<typeof userRecord>;
