import { refreshAccount } from "../authorization/refresh-account.ts";
import type { Partner } from "../partner.ts";
import { refreshUserStatus } from "../routines/refresh-sellers.ts";
import { findServiceUser } from "../storage/service-users.ts";
import type { Applied, NamedReceipt } from "./applied.ts";

/** Fetches the user whose status changed, and their account, which an approval brings. */
export async function applyUserUpdate(partner: Partner, { resourceId, traceId }: NamedReceipt): Promise<Applied> {
  const user = await findServiceUser(partner.db, resourceId);
  if (!user) return "not_ours";
  const read = await refreshUserStatus(partner, user.id, { traceId });
  // Without a token there is nothing to fetch with; the record is read again when the person authorizes.
  if (read === "reauthorization_required") return "ignored";
  if (read !== "ok") return "try_later";
  const isAccountKnown = user.accountId !== null || (await refreshAccount(partner, user.id)) !== undefined;
  // Without it an approved seller could not be paid.
  return isAccountKnown ? "applied" : "try_later";
}
