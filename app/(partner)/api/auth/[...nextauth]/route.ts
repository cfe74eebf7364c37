import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { sessionOptions } from "#lib/partner/people/session-cookie.ts";

type Context = { params: Promise<{ nextauth: string[] }> };

// The settings are read at the first request, so that a build needs none.
function answer(request: NextRequest, context: Context): Promise<Response> {
  return NextAuth(request, context, sessionOptions());
}

export { answer as GET, answer as POST };
