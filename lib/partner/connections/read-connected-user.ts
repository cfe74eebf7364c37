import type { AccountRecord } from "../../contract/accounts.ts";
import type { TransferRecord } from "../../contract/routines.ts";
import type { UserRecord } from "../../contract/user.ts";
import { listAccounts } from "../service-client/accounts.ts";
import type { Answer } from "../service-client/call-service.ts";
import { listTransfers } from "../service-client/transfers.ts";
import { readUser } from "../service-client/users.ts";
import { type Connection, readConnection } from "../tokens/connection.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * A user of the service as the service shows it now. `transfers` is undefined where the service cannot list them.
 * `reauthorization_required`: Harbor holds no live token for this user. `unavailable`: the service did not answer.
 */
export type ConnectedUser =
  | {
      kind: "ok";
      user: UserRecord;
      accounts: AccountRecord[];
      transfers: TransferRecord[] | undefined;
      connection: Connection;
    }
  | { kind: "reauthorization_required" }
  | { kind: "unavailable" };

const transfersShown = 10;

/** Reads record, accounts and newest transfers of a user together, with that user's access token. */
export async function readConnectedUser(serviceUserId: string): Promise<ConnectedUser> {
  const [user, accounts, transfers] = await Promise.all([
    withAccessToken(serviceUserId, readUser),
    withAccessToken(serviceUserId, listAccounts),
    withAccessToken(serviceUserId, (accessToken) => listTransfers(accessToken, { limit: transfersShown })),
  ]);
  if (user.kind === "reauthorization_required") return user;
  if (user.kind !== "ok") return { kind: "unavailable" };
  // A user who is not approved has no accounts yet; that list and the transfers' are this service's own (Decisions D12, D13).
  return {
    kind: "ok",
    user: user.body,
    accounts: bodyOf(accounts)?.accounts ?? [],
    transfers: bodyOf(transfers)?.transfers,
    connection: await readConnection(serviceUserId),
  };
}

function bodyOf<Body>(answer: Answer<Body> | { kind: "reauthorization_required" }): Body | undefined {
  return answer.kind === "ok" ? answer.body : undefined;
}
