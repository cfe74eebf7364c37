import { cookies } from "next/headers";
import type { NextRequest } from "next/server";
import { finishAuthorization } from "#lib/partner/authorization/finish-authorization.ts";
import { findPerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";

export async function GET(request: NextRequest): Promise<Response> {
  const finished = await finishAuthorization(
    partner(),
    request.nextUrl.searchParams,
    await cookies(),
    await findPerson(),
  );
  const path = finished.kind === "ok" ? finished.returnTo : `/callback/problem?reason=${finished.problem}`;
  return new Response(null, {
    status: 303,
    headers: {
      location: partner().config.baseUrl + path,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  });
}
