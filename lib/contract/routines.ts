import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { centsFromAmount } from "./money.ts";
import { routineStatuses, transferStatuses } from "./statuses.ts";
import { identifier, text, timestamp, uuid, wireFacts, word } from "./text.ts";

/** USD: a JSON number above 0, with at most two decimals. The upper limit is the service's setting. */
export const amount = z
  .number("Must be a number in USD.")
  .check(
    z.refine((value) => centsFromAmount(value) !== undefined, "Must have at most two decimals."),
    z.refine((value) => value > 0, "Must be more than 0."),
  )
  // Not multipleOf: validators divide in binary floating point, where 1.15 / 0.01 is not an integer.
  .register(wireFacts, { exclusiveMinimum: 0, description: "USD, with at most two decimals." });

/** Decision D13 */
export const createBookRoutineRequest = z
  .strictObject({
    name: text(limits.routineNameCharactersMax),
    amount,
    source_id: uuid,
    destination_id: uuid,
  })
  .check(
    z.refine((body) => body.source_id.toLowerCase() !== body.destination_id.toLowerCase(), {
      message: "Source and destination must differ.",
      path: ["destination_id"],
    }),
  );
export type CreateBookRoutineRequest = z.infer<typeof createBookRoutineRequest>;

/** Decision D13 */
export const routineRecord = z.object({
  id: identifier,
  type: z.literal("one-time"),
  name: z.string(),
  amount: z.number(),
  source_id: identifier,
  destination_id: identifier,
  status: word(routineStatuses),
  active: z.boolean(),
  transfer_id: identifier,
  created_at: timestamp,
  updated_at: timestamp,
});
export type RoutineRecord = z.infer<typeof routineRecord>;

/** Newest first; `next` is null on the last page. */
export const routineList = z.object({ routines: z.array(routineRecord), next: z.nullable(identifier) });
export type RoutineList = z.infer<typeof routineList>;

/** The key is voided, or has this routine. Decision D13 */
export const voidedBooking = z.object({ voided: z.boolean(), routine: z.nullable(routineRecord) });
export type VoidedBooking = z.infer<typeof voidedBooking>;

/** `failure_reason` is null unless it failed. Decision D13 */
export const transferRecord = z.object({
  id: identifier,
  routine_id: identifier,
  routine_name: z.string(),
  amount: z.number(),
  source_id: identifier,
  destination_id: identifier,
  status: word(transferStatuses),
  failure_reason: z.nullable(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type TransferRecord = z.infer<typeof transferRecord>;

/** Newest first; `next` is null on the last page. */
export const transferList = z.object({ transfers: z.array(transferRecord), next: z.nullable(identifier) });
export type TransferList = z.infer<typeof transferList>;
