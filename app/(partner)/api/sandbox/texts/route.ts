import { readSandboxTexts } from "#lib/partner/people/sandbox-texts.ts";

export async function GET(): Promise<Response> {
  const content = await readSandboxTexts();
  if (!content) return new Response(null, { status: 404 });
  return Response.json(content, { headers: { "cache-control": "no-store" } });
}
