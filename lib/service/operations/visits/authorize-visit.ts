import { uuid } from "../../../contract/text.ts";
import { newSecret, sha256 } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { authorizationResponseUrl } from "../../domain/authorization-request.ts";
import { insertAuthorization } from "../../storage/authorization-codes.ts";
import { inTransaction } from "../../storage/database.ts";
import { redeemVisit } from "../../storage/visits.ts";
import type { VisitKey } from "./visit-key.ts";

/** What became of an Authorize: the person goes to `returnTo` with the code, or the visit's page says why not. */
export type AuthorizeOutcome = { kind: "authorized"; returnTo: string } | { kind: "not_open" };

/** Spends a visit that stands at consent and issues its authorization code, both in one transaction or neither. */
export function authorizeVisit(key: VisitKey): Promise<AuthorizeOutcome> {
  return inTransaction(async (tx) => {
    if (!uuid.safeParse(key.visitId).success) return { kind: "not_open" };
    const visit = await redeemVisit(tx, key.visitId, sha256(key.visitSecret));
    if (!visit) return { kind: "not_open" };
    const { redirectUri, state, ...grant } = visit;
    const code = newSecret("gwc_");
    await insertAuthorization(tx, { ...grant, redirectUri, codeHash: sha256(code) });
    const answer = { code, state: state ?? undefined, iss: serviceConfig().baseUrl };
    return { kind: "authorized", returnTo: authorizationResponseUrl(redirectUri, answer) };
  });
}
