import { cookies } from "next/headers";
import type { VisitKey } from "#lib/service/operations/visits/visit-key.ts";
import { visitCookieName } from "#lib/service/pages/visit-cookie.ts";

/** The key that this request's browser holds to the visit; without the visit's cookie it opens nothing. */
export async function readVisitKey(visitId: string): Promise<VisitKey> {
  const cookie = (await cookies()).get(visitCookieName(visitId));
  return { visitId, visitSecret: cookie?.value ?? "" };
}
