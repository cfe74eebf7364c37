import { limits } from "../../../contract/limits.ts";
import { type Account, listAccounts, listFundingAccounts } from "../../storage/accounts.ts";
import { type Client, findClient, listClients as listClientRows } from "../../storage/clients.ts";
import { database, inTransaction } from "../../storage/database.ts";
import {
  listOperatorChanges,
  listUndecided,
  type OperatorChange,
  type UndecidedPerson,
} from "../../storage/operator-changes.ts";
import { type ListPart, type Page, readPart } from "../../storage/pagination.ts";
import { findBusinessUser, type User } from "../../storage/users.ts";
import { findWebhookEndpoint, type WebhookEndpoint } from "../../storage/webhook-endpoints.ts";

export type ClientOverview = {
  client: Client;
  endpoint: WebhookEndpoint;
  business: { user: User; accounts: Account[] } | undefined;
  treasuries: Account[];
  undecided: UndecidedPerson[];
  changes: OperatorChange[];
};

/** In the order of ids. */
export function listClients(page: Page): Promise<ListPart<Pick<Client, "id" | "name" | "disabledAt">>> {
  return readPart(page, (part) => listClientRows(database(), part));
}

/** In one snapshot; undefined for an unknown id. */
export function readClient(clientId: string): Promise<ClientOverview | undefined> {
  return inTransaction(
    async (tx) => {
      const client = await findClient(tx, clientId);
      if (!client) return undefined;
      const user = await findBusinessUser(tx, clientId);
      const { undecidedAmongMax: among, pageSizeMax: limit, changesShown } = limits;
      return {
        client,
        endpoint: await findWebhookEndpoint(tx, clientId),
        business: user && { user, accounts: await listAccounts(tx, user.id) },
        treasuries: await listFundingAccounts(tx, clientId),
        undecided: await listUndecided(tx, { clientId, among, limit }),
        changes: await listOperatorChanges(tx, { clientId, limit: changesShown }),
      };
    },
    { isReadOnly: true },
  );
}
