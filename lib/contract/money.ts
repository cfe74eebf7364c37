import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { routineStatuses, transferStatuses } from "./statuses.ts";
import { identifier, openEnum, text, timestamp, uuid, wireFacts } from "./text.ts";

// Decision D13: converts decimal text, never by multiplying: 1.005 * 100 is not 100.5.

/** Undefined for more than two decimals. */
export function centsFromAmount(amount: number): number | undefined {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount));
  if (!match) return undefined;
  const [, sign, dollars = "", decimals = ""] = match;
  const cents = Number(dollars) * 100 + Number(decimals.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? (sign ? -cents : cents) : undefined;
}

/** The number whose JSON text is exactly that amount. */
export function amountFromCents(cents: number): number {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return Number(`${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

const amountFacts = { exclusiveMinimum: 0, description: "USD, with at most two decimals." };

/** USD: a JSON number above 0, with at most two decimals. Callers set the upper limit. */
export const amount = z
  .number("Must be a number in USD.")
  .check(
    z.refine(
      (value) => value > limits.fundedAmountMax || centsFromAmount(value) !== undefined,
      "Must have at most two decimals.",
    ),
    z.refine((value) => value > 0, "Must be more than 0."),
  )
  // Not multipleOf: validators divide in binary floating point, where 1.15 / 0.01 is not an integer.
  .register(wireFacts, amountFacts);

/** Money added in one call. Above the limit, a few of them could add up to an unsafe integer of cents. */
export const fundedAmount = amount
  .check(
    z.refine(
      (value) => value <= limits.fundedAmountMax,
      `Must be an amount in USD of at most ${limits.fundedAmountMax}.`,
    ),
  )
  .register(wireFacts, { ...amountFacts, maximum: limits.fundedAmountMax });

/** Balances in USD. Decision D12 */
export const accountRecord = z.object({
  id: identifier,
  name: z.string(),
  type: openEnum(["wallet", "operating"]),
  mask: z.string(),
  currency: z.literal("USD"),
  current_balance: z.number(),
  available_balance: z.number(),
  status: openEnum(["open", "closed"]),
});
export type AccountRecord = z.infer<typeof accountRecord>;

export const accountList = z.object({ count: z.number(), accounts: z.array(accountRecord) });

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
  status: openEnum(routineStatuses),
  active: z.boolean(),
  transfer_id: identifier,
  created_at: timestamp,
  updated_at: timestamp,
});
export type RoutineRecord = z.infer<typeof routineRecord>;

/** Newest first; `next` is null on the last page. */
export const routineList = z.object({ routines: z.array(routineRecord), next: z.nullable(identifier) });

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
  status: openEnum(transferStatuses),
  failure_reason: z.nullable(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type TransferRecord = z.infer<typeof transferRecord>;

/** Newest first; `next` is null on the last page. */
export const transferList = z.object({ transfers: z.array(transferRecord), next: z.nullable(identifier) });
