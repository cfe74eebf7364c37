import { readInspector } from "#lib/partner/inspector/read-inspector.ts";
import { partner } from "#lib/partner/process-partner.ts";

const headers = { "cache-control": "no-store" };

export async function GET(request: Request): Promise<Response> {
  const content = await readInspector(partner(), request);
  if (content === "absent") return new Response(null, { status: 404 });
  return content === "signed_out" ? new Response(null, { status: 401, headers }) : Response.json(content, { headers });
}
