import { providers } from "#lib/service/providers.ts";
import { readVisitKey } from "../../visit-key.ts";

export async function GET(_request: Request, { params }: { params: Promise<{ visit: string }> }): Promise<Response> {
  const { visit } = await params;
  const messages = await providers().visitTools?.readVisitMessages(await readVisitKey(visit));
  const headers = { "cache-control": "no-store" };
  return messages ? Response.json(messages, { headers }) : new Response(null, { status: 404, headers });
}
