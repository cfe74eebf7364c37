import { cookies } from "next/headers";
import type { NextRequest } from "next/server";
import { finishAuthorization } from "#lib/partner/authorization/finish-authorization.ts";
import { partnerConfig } from "#lib/partner/config.ts";
import { findPerson } from "#lib/partner/people/session.ts";

export async function GET(request: NextRequest): Promise<Response> {
  const finished = await finishAuthorization(request.nextUrl.searchParams, await cookies(), await findPerson());
  const path = finished.kind === "ok" ? finished.returnTo : `/callback/problem?reason=${finished.problem}`;
  return new Response(null, {
    status: 303,
    headers: {
      location: partnerConfig().baseUrl + path,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  });
}
