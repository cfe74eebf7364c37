import * as z from "zod/mini";
import { timestamp } from "./text.ts";
import { wireFacts } from "./wire-facts.ts";

// ISO 8601 has a year 0000, PostgreSQL has not.
const storableTime = timestamp.check(z.refine((value) => !value.startsWith("0000"), "Must be a year from 0001 on."));
wireFacts.add(storableTime, { type: "string", format: "date-time" });

/** The customer record that the partner serves at `GET /v1/customers/{customer_id}`. */
export const customerRecord = z.object({
  customer_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  lastAuthenticationTime: storableTime,
});
export type CustomerRecord = z.infer<typeof customerRecord>;
