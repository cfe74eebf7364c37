import { newSecret, sha256 } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { authorizationResponseUrl } from "../../domain/authorization-request.ts";
import { providers } from "../../providers.ts";
import { insertAuthorization, replaceAuthorizationCode } from "../../storage/authorizations.ts";
import type { Db } from "../../storage/database.ts";
import { expireVerificationMessage } from "../../storage/phones.ts";
import { finishVisit, inVisitTransaction, redeemVisit, type VisitKey } from "../../storage/visits.ts";
import { watchVisit } from "./watch-visit.ts";

/** Redirects to `returnTo` with the code, or shows the visit's page again. */
export type AuthorizeOutcome = { kind: "authorized"; returnTo: string } | { kind: "not_open" };

/**
 * Redeems a visit at the consent step and issues its authorization code, in one transaction. If the redirect was lost
 * and the code is unused, authorizing again replaces the code.
 */
export async function authorizeVisit(key: VisitKey): Promise<AuthorizeOutcome> {
  const authorized = await inVisitTransaction(key, async (tx) => {
    const code = newSecret("gwc_");
    const codeHash = sha256(code);
    const redeemed = await redeemVisit(tx, key);
    if (redeemed) await insertAuthorization(tx, { ...redeemed, id: key.visitId, codeHash });
    const visit = redeemed ?? (await replaceAuthorizationCode(tx, key, codeHash));
    if (!visit) return undefined;
    const { redirectUri, state } = visit;
    const answer = { code, state: state ?? undefined, iss: serviceConfig().baseUrl };
    return { visit, returnTo: authorizationResponseUrl(redirectUri, answer) };
  });
  if (!authorized) return { kind: "not_open" };
  const visit = { ...authorized.visit, id: key.visitId };
  const faulty = await providers().redirectWithFault?.(visit, authorized.returnTo);
  const { returnTo, foreign } = faulty ?? { returnTo: authorized.returnTo, foreign: undefined };
  watchVisit(visit, { step: "authorized", returnTo, foreign });
  return { kind: "authorized", returnTo };
}

/** Redirects to `returnTo`, once. */
export type CancelOutcome = { kind: "cancelled"; returnTo: string } | { kind: "not_open" };

/** Ends a visit at any step without consent; the client gets `access_denied`. */
export async function cancelVisit(key: VisitKey): Promise<CancelOutcome> {
  const outcome = await inVisitTransaction(key, (tx) =>
    cancelVisitWithin(tx, key, "The person did not authorize the client."),
  );
  if (outcome.kind !== "cancelled") return outcome;
  const { visit, returnTo } = outcome;
  watchVisit({ ...visit, id: key.visitId }, { step: "cancelled", returnTo });
  return { kind: "cancelled", returnTo };
}

type CancelledVisit = NonNullable<Awaited<ReturnType<typeof finishVisit>>>;

/** Cancels a visit that can't continue. Call `watchVisit` after the commit. */
export async function cancelVisitWithin(
  tx: Db,
  key: VisitKey,
  description: string,
): Promise<{ kind: "cancelled"; returnTo: string; visit: CancelledVisit } | { kind: "not_open" }> {
  const visit = await finishVisit(tx, key);
  if (!visit) return { kind: "not_open" };
  await expireVerificationMessage(tx, key.visitId);
  return { kind: "cancelled", returnTo: accessDeniedUrl(visit, description), visit };
}

export function accessDeniedUrl(
  { redirectUri, state }: { redirectUri: string; state: string | null | undefined },
  description: string,
): string {
  return authorizationResponseUrl(redirectUri, {
    error: "access_denied",
    error_description: description,
    state: state ?? undefined,
    iss: serviceConfig().baseUrl,
  });
}
