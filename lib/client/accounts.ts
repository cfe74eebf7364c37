import type { Answer } from "./answer.ts";
import { asUser, type CallOptions, type CallService } from "./call-service.ts";
import type { Money } from "./money.ts";
import { identifier, listOf, money, optional, plainText, type Read, recordOf } from "./reading.ts";

const fields = {
  id: identifier,
  name: optional(plainText),
  type: optional(plainText),
  mask: optional(plainText),
  currency: optional(plainText),
  current_balance: money,
  available_balance: money,
  status: optional(plainText),
};

/** A payment instrument of a user. Not published but for its id: every other field may be unknown. Decision D12 */
export type Account = {
  id: string;
  name?: string | undefined;
  type?: string | undefined;
  /** The last characters of its number. */
  mask?: string | undefined;
  currency?: string | undefined;
  current_balance: Money;
  available_balance: Money;
  status?: string | undefined;
};

const readRecord: Read<Account> = recordOf(fields, {
  id: ["account_id", "payment_instrument_id", "instrument_id"],
});
const readAccount: Read<Account> = (body) => {
  const reading = readRecord(body);
  return reading.kind === "ok" ? { ...reading, body: inDollars(reading.body) } : reading;
};

// An amount in another currency is no number of cents to us.
function inDollars(account: Account): Account {
  const { currency = "USD", current_balance, available_balance } = account;
  if (currency.toUpperCase() === "USD") return account;
  const unknown = (amount: Money): Money => ({ kind: "unknown", written: `${writtenOf(amount)} ${currency}` });
  return { ...account, current_balance: unknown(current_balance), available_balance: unknown(available_balance) };
}

function writtenOf(amount: Money): string {
  return amount.kind === "exact" ? String(amount.cents / 100) : (amount.written ?? "");
}

/** A user's payment instruments. `isWhole`: none of them was left out as unreadable. */
export type AccountList = { items: Account[]; isWhole: boolean };

const readAccounts = listOf("accounts", readAccount);

/** The calls about accounts; where they are listed is not published. */
export function accountCalls(call: CallService, path = "/v1/accounts") {
  return {
    /** The user's payment instruments with their balances. */
    listAccounts: (accessToken: string, options: CallOptions = {}): Promise<Answer<AccountList>> =>
      call({ method: "GET", path, authorization: asUser(accessToken), read: readAccounts, ...options }),
  };
}
