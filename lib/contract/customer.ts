import * as z from "zod/mini";
import { timestamp } from "./text.ts";

/** The customer record that the partner serves at `GET /v1/customers/{customer_id}`. */
export const customerRecord = z.object({
  customer_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  lastAuthenticationTime: timestamp,
});
export type CustomerRecord = z.infer<typeof customerRecord>;
