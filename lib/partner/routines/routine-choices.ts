import { centsFromAmount } from "../../contract/money.ts";
import { partnerConfig } from "../config.ts";
import { listAccounts } from "../service-client/accounts.ts";
import { database } from "../storage/database.ts";
import { listPayableSellers } from "../storage/service-users.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * What an operator may choose from: the business's open accounts and the sellers who can be paid. `availableCents` is
 * undefined for an amount that is no whole number of cents.
 */
export type RoutineChoices =
  | {
      kind: "ok";
      accounts: { id: string; label: string; availableCents: number | undefined }[];
      sellers: { userId: string; name: string }[];
    }
  | { kind: "reauthorization_required" }
  | { kind: "unavailable" };

/** Asks the service for the business's accounts, and Harbor for its connected sellers. */
export async function readRoutineChoices(): Promise<RoutineChoices> {
  const answer = await withAccessToken(partnerConfig().businessUserId, listAccounts);
  if (answer.kind === "reauthorization_required") return answer;
  if (answer.kind !== "ok") return { kind: "unavailable" };
  const sellers = await listPayableSellers(database());
  return {
    kind: "ok",
    accounts: answer.body.accounts
      .filter(({ status }) => status === "open")
      .map(({ id, name, mask, available_balance }) => ({
        id,
        label: `${name} ···${mask}`,
        availableCents: centsFromAmount(available_balance),
      })),
    sellers: sellers.map(({ id, firstName, lastName }) => ({ userId: id, name: `${firstName} ${lastName}` })),
  };
}
