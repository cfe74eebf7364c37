import { pagePersonHeader } from "../live/live-event.ts";
import type { Partner } from "../partner.ts";
import { findPerson, type Person, type Role } from "../people/session.ts";
import { partner } from "../process-partner.ts";

const headers = { "cache-control": "no-store" };

/**
 * Makes the route that a page of Harbor asks for what may have changed, when its stream says so or by itself. There is no other way to make one
 * (lint/polled-routes.grit): 401 tells a page that nobody is signed in any more, or not the one whose page it is; 404 is
 * for another role and for what `read` does not find. Nothing of it is cached.
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
    return found ? Response.json(found, { headers }) : new Response(null, { status: 404, headers });
  };
}

/** Whoever is signed in, if the page that asks is theirs or does not say whose it is. */
export async function findPagePerson({ headers }: Request): Promise<Person | undefined> {
  const person = await findPerson();
  return (headers.get(pagePersonHeader) ?? person?.id) === person?.id ? person : undefined;
}
