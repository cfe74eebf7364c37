import { sha256 } from "../../kit/secrets.ts";
import {
  findOwnerOfLiveToken,
  isAuthorizationRevoked,
  lockUserTokens,
  revokeAuthorizationsOfUser,
} from "../storage/authorizations.ts";
import { inTransaction } from "../storage/database.ts";

/**
 * Ends every authorization of a token's user with this client (Decision D10). A token that is not live, or not this
 * client's, ends nothing and is no error (RFC 7009 section 2.2).
 */
export function revokeAuthorizations(token: string, { clientId }: { clientId: string }): Promise<void> {
  return inTransaction(async (tx) => {
    const owner = await findOwnerOfLiveToken(tx, { clientId, tokenHash: sha256(token) });
    if (!owner) return;
    await lockUserTokens(tx, owner.userId);
    // While we waited, another revocation may have done all this. A refresh in that time does not save the user's tokens.
    if (await isAuthorizationRevoked(tx, owner.authorizationId)) return;
    await revokeAuthorizationsOfUser(tx, { clientId, userId: owner.userId });
  });
}
