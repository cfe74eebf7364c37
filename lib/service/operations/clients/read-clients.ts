import { limits } from "../../../contract/limits.ts";
import { inEachCell } from "../../cells.ts";
import { type Account, listAccounts, listFundingAccounts } from "../../storage/accounts.ts";
import { inCellOfClient } from "../../storage/client-cells.ts";
import { type Client, findClient, listClients as listClientRows } from "../../storage/clients.ts";
import { database, inTransaction } from "../../storage/database.ts";
import {
  listOperatorChanges,
  listUndecided,
  type OperatorChange,
  type UndecidedPerson,
} from "../../storage/operator-changes.ts";
import { type ListPart, type Page, readPart } from "../../storage/pagination.ts";
import { findBusinessUser, type User } from "../../storage/people.ts";
import { findWebhookEndpoint, type WebhookEndpoint } from "../../storage/webhook-endpoints.ts";

export type ClientOverview = {
  client: Client;
  endpoint: WebhookEndpoint;
  business: { user: User; accounts: Account[] } | undefined;
  treasuries: Account[];
  undecided: UndecidedPerson[];
  changes: OperatorChange[];
};

/** Ordered by id. */
export function listClients(page: Page): Promise<ListPart<Pick<Client, "id" | "name" | "disabledAt">>> {
  return readPart(page, async (part) => {
    const lists = await inEachCell(() => listClientRows(database(), part));
    const [only = [], ...others] = lists;
    return others.length === 0 ? only : lists.flat().sort(byId).slice(0, part.limit);
  });
}

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}

/** In one snapshot; undefined for an unknown id. */
export function readClient(clientId: string): Promise<ClientOverview | undefined> {
  return inCellOfClient(clientId, () => readClientOfCell(clientId));
}

function readClientOfCell(clientId: string): Promise<ClientOverview | undefined> {
  return inTransaction(
    async (tx) => {
      const client = await findClient(tx, clientId);
      if (!client) return undefined;
      const user = await findBusinessUser(tx, clientId);
      const { pageSizeMax: limit, changesShown } = limits;
      return {
        client,
        endpoint: await findWebhookEndpoint(tx, clientId),
        business: user && { user, accounts: await listAccounts(tx, user.id) },
        treasuries: await listFundingAccounts(tx, clientId),
        undecided: await listUndecided(tx, { clientId, limit }),
        changes: await listOperatorChanges(tx, { clientId, limit: changesShown }),
      };
    },
    { isReadOnly: true },
  );
}
