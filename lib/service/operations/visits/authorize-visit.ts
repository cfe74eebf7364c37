import { uuid } from "../../../contract/text.ts";
import { newSecret, sha256 } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { authorizationResponseUrl } from "../../domain/authorization-request.ts";
import { insertAuthorization, replaceAuthorizationCode } from "../../storage/authorizations.ts";
import { inTransaction } from "../../storage/database.ts";
import { redeemVisit } from "../../storage/visits.ts";
import type { VisitKey } from "./visit-key.ts";
import { watchVisit } from "./watch-visit.ts";

/** What became of an Authorize: the person goes to `returnTo` with the code, or the visit's page says why not. */
export type AuthorizeOutcome = { kind: "authorized"; returnTo: string } | { kind: "not_open" };

/**
 * Spends a visit that stands at consent and issues its authorization code, both in one transaction or neither. Whoever presses
 * again while that code is unspent, because its answer never reached them, is sent back with another one in its place.
 */
export async function authorizeVisit(key: VisitKey): Promise<AuthorizeOutcome> {
  if (!uuid.safeParse(key.visitId).success) return { kind: "not_open" };
  const authorized = await inTransaction(async (tx) => {
    const code = newSecret("gwc_");
    const [secretHash, codeHash] = [sha256(key.visitSecret), sha256(code)];
    const redeemed = await redeemVisit(tx, key.visitId, secretHash);
    if (redeemed) await insertAuthorization(tx, { ...redeemed, id: key.visitId, codeHash });
    const visit = redeemed ?? (await replaceAuthorizationCode(tx, { visitId: key.visitId, secretHash, codeHash }));
    if (!visit) return undefined;
    const { redirectUri, state } = visit;
    const answer = { code, state: state ?? undefined, iss: serviceConfig().baseUrl };
    return { visit, returnTo: authorizationResponseUrl(redirectUri, answer) };
  });
  if (!authorized) return { kind: "not_open" };
  const { visit, returnTo } = authorized;
  watchVisit({ ...visit, id: key.visitId }, { step: "authorized", returnTo });
  return { kind: "authorized", returnTo };
}
