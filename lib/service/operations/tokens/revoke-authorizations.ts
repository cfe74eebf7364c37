import { sha256 } from "../../../kit/secrets.ts";
import { revokeAuthorizationsByToken } from "../../storage/authorizations.ts";
import { database } from "../../storage/database.ts";

/**
 * Ends every authorization of a token's user with this client (Decision D10), in a time that does not depend on how many
 * tokens there are. A token that is not live, or not this client's, ends nothing and is no error (RFC 7009 section 2.2).
 */
export function revokeAuthorizations(token: string, { clientId }: { clientId: string }): Promise<void> {
  return revokeAuthorizationsByToken(database(), { clientId, tokenHash: sha256(token) });
}
