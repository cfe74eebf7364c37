import * as z from "zod/mini";
import { wireFacts } from "./wire-facts.ts";

const storableTime = z.iso.datetime({ offset: true }).check(
  z.refine((value) => /(?:Z|\+00:00)$/.test(value), "Must be in UTC."),
  // ISO 8601 has a year 0000, PostgreSQL has not.
  z.refine((value) => !value.startsWith("0000"), "Must be a year from 0001 on."),
);
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
