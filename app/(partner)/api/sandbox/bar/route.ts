import { partner } from "#lib/partner/process-partner.ts";
import { readBarContent } from "#lib/partner/sandbox/bar-content.ts";

const headers = { "cache-control": "no-store" };

export async function GET(): Promise<Response> {
  const content = await readBarContent(partner());
  return content ? Response.json(content, { headers }) : new Response(null, { status: 404, headers });
}
