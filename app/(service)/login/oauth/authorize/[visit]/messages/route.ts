import { readVisitMessages } from "#lib/service/operations/visits/read-messages.ts";
import { readVisitKey } from "../../visit-key.ts";

export async function GET(_request: Request, { params }: { params: Promise<{ visit: string }> }): Promise<Response> {
  const { visit } = await params;
  const messages = await readVisitMessages(await readVisitKey(visit));
  const headers = { "cache-control": "no-store" };
  return messages ? Response.json(messages, { headers }) : new Response(null, { status: 404, headers });
}
