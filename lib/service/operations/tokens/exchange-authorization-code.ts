import { sha256 } from "../../../kit/secrets.ts";
import { type CodeProof, judgeRedemption } from "../../domain/code-redemption.ts";
import { lockAuthorizationCode, redeemAuthorizationCode } from "../../storage/authorization-codes.ts";
import { isAuthorizationRevoked, lockUserTokens, revokeAuthorization } from "../../storage/authorizations.ts";
import { type Connection, type Db, inTransaction } from "../../storage/database.ts";
import { insertTokenPair, lockIssuedPairs } from "../../storage/token-pairs.ts";
import { hashesOf, newTokenPair, type TokenGrant } from "./token-grant.ts";

/**
 * Exchanges an authorization code for a token pair, once. Spending the code and issuing its tokens are one transaction;
 * so are a refusal and what it leaves behind: a burned code, or the end of all tokens when the code was proven twice.
 */
export function exchangeAuthorizationCode(
  { code, ...proof }: CodeProof & { code: string },
  { clientId }: { clientId: string },
): Promise<TokenGrant> {
  const codeHash = sha256(code);
  const exchange = async (tx: Db, connection: Connection): Promise<TokenGrant> => {
    const locked = await lockAuthorizationCode(tx, codeHash);
    if (!locked) return { kind: "invalid_grant", cause: "code_unknown" };
    if (locked.clientId !== clientId) return { kind: "invalid_grant", cause: "code_of_another_client" };
    const { authorizationId, userId } = locked;
    await lockUserTokens(tx, userId);
    // Read under the lock: whoever revokes holds it too, so that no pair is issued beside a revocation.
    const isRevoked = await isAuthorizationRevoked(tx, authorizationId);

    const redemption = judgeRedemption({ ...locked, isRevoked }, proof);
    switch (redemption.kind) {
      case "grant": {
        const pair = newTokenPair();
        await redeemAuthorizationCode(tx, { codeHash, clientId });
        await insertTokenPair(connection, { ...hashesOf(pair), authorizationId });
        return { kind: "granted", ...pair };
      }
      case "burn":
        await redeemAuthorizationCode(tx, { codeHash, clientId });
        return { kind: "invalid_grant", cause: redemption.cause };
      case "revoke":
        await revokeAuthorization(tx, { clientId, authorizationId });
        return { kind: "invalid_grant", cause: redemption.cause };
      case "refuse":
        return { kind: "invalid_grant", cause: redemption.cause };
    }
  };
  return inTransaction(exchange, {
    wasCommitted: async (tx, connection, grant) => {
      await lockAuthorizationCode(tx, codeHash);
      return grant.kind === "granted" && (await lockIssuedPairs(connection, [hashesOf(grant)])).size === 1;
    },
  });
}
