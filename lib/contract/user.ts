import * as z from "zod/mini";
import { rejectionReason } from "./user-intent.ts";

/** Answer to `GET /v1/user`: the user record of the published interface. */
export const userRecord = z.object({
  id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  kyc_type: z.string(),
  metadata: z.optional(z.record(z.string(), z.string())),
  receive_only: z.boolean(),
  rejection_reasons: z.array(rejectionReason),
  status: z.string(),
  user_type: z.string(),
});
export type UserRecord = z.infer<typeof userRecord>;
