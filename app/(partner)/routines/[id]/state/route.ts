import { findPerson } from "#lib/partner/people/session.ts";
import { readRoutineView } from "#lib/partner/routines/routine-view.ts";

const headers = { "cache-control": "no-store" };

/** What the routine's page asks about every second while something may still happen. */
export async function GET(_request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const person = await findPerson();
  if (!person) return new Response(null, { status: 401, headers });
  const routine = person.role === "operator" ? await readRoutineView((await params).id) : undefined;
  return routine ? Response.json(routine, { headers }) : new Response(null, { status: 404, headers });
}
