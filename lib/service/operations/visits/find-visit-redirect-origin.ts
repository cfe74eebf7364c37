import { uuid } from "../../../contract/text.ts";
import { database } from "../../storage/database.ts";
import { findVisitRedirectUri } from "../../storage/visits.ts";

/**
 * The origin that the forms of a visit's page end up at, as CSP's form-action writes it (only the scheme, for an app's own
 * scheme). undefined for whatever names no visit.
 */
export async function findVisitRedirectOrigin(visitId: string): Promise<string | undefined> {
  if (!uuid.safeParse(visitId).success) return undefined;
  const redirectUri = await findVisitRedirectUri(database(), visitId);
  if (!redirectUri) return undefined;
  const { origin, protocol } = new URL(redirectUri);
  return origin === "null" ? protocol : origin;
}
