import { partner } from "#lib/partner/process-partner.ts";
import { readSandboxDevices } from "#lib/partner/sandbox/sandbox-messages.ts";

export async function GET(): Promise<Response> {
  const devices = await readSandboxDevices(partner());
  if (!devices) return new Response(null, { status: 404 });
  return Response.json({ devices }, { headers: { "cache-control": "no-store" } });
}
