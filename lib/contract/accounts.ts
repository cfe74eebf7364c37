import * as z from "zod/mini";

/** A payment instrument of a user; balances in USD. Decision D12 */
export const accountRecord = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  mask: z.string(),
  currency: z.literal("USD"),
  current_balance: z.number(),
  available_balance: z.number(),
  status: z.string(),
});
export type AccountRecord = z.infer<typeof accountRecord>;

/** Answer to `GET /v1/accounts`. */
export const accountList = z.object({ count: z.number(), accounts: z.array(accountRecord) });
export type AccountList = z.infer<typeof accountList>;
