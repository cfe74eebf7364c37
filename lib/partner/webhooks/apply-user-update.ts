import { refreshAccount } from "../authorization/refresh-account.ts";
import { readUser } from "../service-client/users.ts";
import { database } from "../storage/database.ts";
import { beginRead, findServiceUser, keepUserStatus } from "../storage/service-users.ts";
import type { WebhookReceipt } from "../storage/webhook-receipts.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";
import type { Applied } from "./applied.ts";

/** Fetches the user whose status changed, and their account, which an approval brings. */
export async function applyUserUpdate({ resourceId, traceId }: WebhookReceipt): Promise<Applied> {
  const user = await findServiceUser(database(), resourceId);
  if (!user) return "not_ours";
  const read = await beginRead(database());
  const answer = await withAccessToken(user.id, (accessToken) => readUser(accessToken, { traceId }));
  // Without a token there is nothing to fetch with; the record is read again when the person authorizes.
  if (answer.kind === "reauthorization_required") return "ignored";
  if (answer.kind !== "ok") return "try_later";
  await keepUserStatus(database(), user.id, answer.body.status, read);
  const isAccountKnown = user.accountId !== null || (await refreshAccount(user.id)) !== undefined;
  // Without it an approved seller could not be paid.
  return isAccountKnown ? "applied" : "try_later";
}
