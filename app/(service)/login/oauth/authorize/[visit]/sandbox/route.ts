import { providers } from "#lib/service/providers.ts";
import { readVisitKey } from "../../visit-key.ts";

const headers = { "cache-control": "no-store" };

export async function GET(_request: Request, { params }: { params: Promise<{ visit: string }> }): Promise<Response> {
  const controls = await providers().visitTools?.readControls(await readVisitKey((await params).visit));
  return controls ? Response.json(controls, { headers }) : new Response(null, { status: 404, headers });
}
