import * as z from "zod/mini";
import { identifier, word } from "./text.ts";

/** Balances in USD. Decision D12 */
export const accountRecord = z.object({
  id: identifier,
  name: z.string(),
  type: word(["wallet", "operating"]),
  mask: z.string(),
  currency: z.literal("USD"),
  current_balance: z.number(),
  available_balance: z.number(),
  status: word(["open", "closed"]),
});
export type AccountRecord = z.infer<typeof accountRecord>;

export const accountList = z.object({ count: z.number(), accounts: z.array(accountRecord) });
export type AccountList = z.infer<typeof accountList>;
