import type { NextRequest } from "next/server";
import { readInspector } from "#lib/partner/inspector/read-inspector.ts";

const headers = { "cache-control": "no-store" };

export async function GET(request: NextRequest): Promise<Response> {
  const content = await readInspector(request.nextUrl.searchParams.get("since") ?? undefined);
  if (content === "absent") return new Response(null, { status: 404 });
  return content === "signed_out" ? new Response(null, { status: 401, headers }) : Response.json(content, { headers });
}
