import { partner } from "#lib/partner/process-partner.ts";
import { readSandboxTexts } from "#lib/partner/sandbox/sandbox-texts.ts";

export async function GET(): Promise<Response> {
  const content = await readSandboxTexts(partner());
  if (!content) return new Response(null, { status: 404 });
  return Response.json(content, { headers: { "cache-control": "no-store" } });
}
