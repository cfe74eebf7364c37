import { pagePersonHeader } from "../live/live-event.ts";
import type { Partner } from "../partner.ts";
import { findPerson, type Person, type Role } from "../people/session.ts";
import { partner } from "../process-partner.ts";

const headers = { "cache-control": "no-store" };

/**
 * Makes the route that a page polls for its data; the lint rule polled-routes.grit allows no other way. 401: the page's
 * person is no longer signed in. 404: another role, or `read` found nothing. `read` can also return its own Response.
 */
export function polledRoute<Params>(
  role: Role,
  read: (partner: Partner, person: Person, params: Params, query: URLSearchParams) => Promise<object | undefined>,
): (request: Request, context: { params: Promise<Params> }) => Promise<Response> {
  return async (request, { params }) => {
    const person = await findPagePerson(request);
    if (!person) return new Response(null, { status: 401, headers });
    const found =
      person.role === role ? await read(partner(), person, await params, new URL(request.url).searchParams) : undefined;
    if (found instanceof Response) return found;
    return found ? Response.json(found, { headers }) : new Response(null, { status: 404, headers });
  };
}

/** The signed-in person, unless the requesting page was rendered for someone else. */
export async function findPagePerson({ headers }: Request): Promise<Person | undefined> {
  const person = await findPerson();
  return (headers.get(pagePersonHeader) ?? person?.id) === person?.id ? person : undefined;
}
