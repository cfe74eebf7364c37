import type { AccountRecord } from "../../contract/accounts.ts";
import type { TransferRecord } from "../../contract/routines.ts";
import type { UserRecord } from "../../contract/user.ts";
import { refreshAccount } from "../authorization/refresh-account.ts";
import { listTransfers } from "../service-client/transfers.ts";
import { readUser } from "../service-client/users.ts";
import { database } from "../storage/database.ts";
import { beginRead, keepUserStatus } from "../storage/service-users.ts";
import { type Connection, readConnection } from "../tokens/connection.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * A user of the service as the service shows it now. `accounts` or `transfers` undefined: the service did not tell, which
 * is not the same as none.
 * `reauthorization_required`: Harbor holds no live token for this user. `unavailable`: the service did not answer.
 */
export type ConnectedUser =
  | {
      kind: "ok";
      user: UserRecord;
      accounts: AccountRecord[] | undefined;
      transfers: TransferRecord[] | undefined;
      connection: Connection;
    }
  | { kind: "reauthorization_required" }
  | { kind: "unavailable" };

const transfersShown = 10;

/**
 * Reads record, accounts and newest transfers of a user together, with that user's access token. What was read of status
 * and account is kept, should a webhook have been missed.
 */
export async function readConnectedUser(serviceUserId: string): Promise<ConnectedUser> {
  const read = await beginRead(database());
  const [user, accounts, transfers] = await Promise.all([
    withAccessToken(serviceUserId, readUser),
    refreshAccount(serviceUserId),
    withAccessToken(serviceUserId, (accessToken) => listTransfers(accessToken, { limit: transfersShown })),
  ]);
  if (user.kind === "reauthorization_required") return user;
  if (user.kind !== "ok") return { kind: "unavailable" };
  await keepUserStatus(database(), serviceUserId, user.body.status, read);
  return {
    kind: "ok",
    user: user.body,
    // Both lists are this service's own (Decisions D12, D13).
    accounts,
    transfers: transfers.kind === "ok" ? transfers.body.transfers : undefined,
    connection: await readConnection(serviceUserId),
  };
}
