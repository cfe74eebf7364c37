import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../../kit/secrets.ts";
import { type Client, findClientForAuthentication } from "../../storage/clients.ts";

export type { Client } from "../../storage/clients.ts";

/** Who calls with the Basic scheme: the client application itself. */
export type ClientCaller = { client: Client };

/** The client that these credentials belong to, or for the operator what is wrong with them. */
export type ClientAuthentication =
  | { kind: "valid"; caller: ClientCaller }
  | { kind: "invalid_client"; cause: "client_unknown" | "client_secret_wrong" };

const nobody = Buffer.alloc(32);

/** Tells which client has this id and secret. It takes as long for an unknown client as for a wrong secret. Decision D2 */
export async function authenticateClient(credentials: {
  clientId: string;
  clientSecret: string;
}): Promise<ClientAuthentication> {
  const client = await findClientForAuthentication(credentials.clientId);
  // Compared even when there is no such client, so that the time tells nothing.
  const isRight = timingSafeEqual(sha256(credentials.clientSecret), client?.secretHash ?? nobody);
  if (!client) return { kind: "invalid_client", cause: "client_unknown" };
  return isRight ? { kind: "valid", caller: { client } } : { kind: "invalid_client", cause: "client_secret_wrong" };
}
