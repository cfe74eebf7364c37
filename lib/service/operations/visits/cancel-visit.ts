import { uuid } from "../../../contract/text.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { authorizationResponseUrl } from "../../domain/authorization-request.ts";
import { type Db, inTransaction } from "../../storage/database.ts";
import { finishVisit } from "../../storage/visits.ts";
import type { VisitKey } from "./visit-key.ts";
import { watchVisit } from "./watch-visit.ts";

/** What became of a Cancel: the person goes back to `returnTo`, once. */
export type CancelOutcome = { kind: "cancelled"; returnTo: string } | { kind: "not_open" };

/** Ends a visit at any step without consent; the client is told `access_denied`. */
export async function cancelVisit(key: VisitKey): Promise<CancelOutcome> {
  const outcome = await inTransaction((tx) => cancelVisitWithin(tx, key, "The person did not authorize the client."));
  if (outcome.kind !== "cancelled") return outcome;
  const { visit, returnTo } = outcome;
  watchVisit({ ...visit, id: key.visitId }, { step: "cancelled", returnTo });
  return { kind: "cancelled", returnTo };
}

type CancelledVisit = NonNullable<Awaited<ReturnType<typeof finishVisit>>>;

/** The same within a running transaction, for a visit that cannot go on; its caller tells who watches, once it commits. */
export async function cancelVisitWithin(
  tx: Db,
  key: VisitKey,
  description: string,
): Promise<{ kind: "cancelled"; returnTo: string; visit: CancelledVisit } | { kind: "not_open" }> {
  if (!uuid.safeParse(key.visitId).success) return { kind: "not_open" };
  const visit = await finishVisit(tx, key.visitId, sha256(key.visitSecret));
  if (!visit) return { kind: "not_open" };
  return { kind: "cancelled", returnTo: accessDeniedUrl(visit, description), visit };
}

/** The way back without consent: redirect_uri with `access_denied`, state and iss. */
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
