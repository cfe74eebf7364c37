import { cookies } from "next/headers";
import type { VisitKey } from "#lib/service/operations/visits/read-visit.ts";
import { visitCookieName } from "#lib/service/pages/visit-cookie.ts";

/** The visit's id with the secret from this browser's cookie, empty without one. */
export async function readVisitKey(visitId: string): Promise<VisitKey> {
  const cookie = (await cookies()).get(visitCookieName(visitId));
  return { visitId, visitSecret: cookie?.value ?? "" };
}
