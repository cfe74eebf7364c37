import { cookies } from "next/headers";
import { visitCookieName } from "#lib/service/http/visit-cookie.ts";
import type { VisitKey } from "#lib/service/operations/visit-key.ts";

/** The key that this request's browser holds to the visit; without the visit's cookie it opens nothing. */
export async function readVisitKey(visitId: string): Promise<VisitKey> {
  const cookie = (await cookies()).get(visitCookieName(visitId));
  return { visitId, visitSecret: cookie?.value ?? "" };
}
