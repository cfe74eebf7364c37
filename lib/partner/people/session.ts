import { cookies } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import type { Partner } from "../partner.ts";
import { partner } from "../process-partner.ts";
import { setActor } from "../requests/current-action.ts";
import type { Person, Role } from "../storage/people.ts";
import { endSession, findPersonOf, sealSession, sessionCookie } from "./session-cookie.ts";

export type { Person, Role };

/** Whoever is signed in, and by which session. */
export type SignedIn = { person: Person; sessionIdHash: Buffer };

/** Whoever is signed in, as the database knows them now; undefined when nobody is. */
export async function findPerson(): Promise<Person | undefined> {
  return (await findSignedIn())?.person;
}

/**
 * The same, for whoever must look again later whether that session has ended. Layout, page and parts of one page view ask
 * it, and are told what was found once.
 */
export const findSignedIn = cache(async (): Promise<SignedIn | undefined> => {
  const signedIn = await findPersonOf(partner(), (await cookies()).get(sessionCookie(partner()).name)?.value);
  if (signedIn) setActor(signedIn.person.id);
  return signedIn;
});

/**
 * Whoever is signed in; nobody is sent to sign in and comes back to `returnTo` afterwards, and for somebody in another
 * role the page does not exist. Each page and each action asks this by itself.
 * @param returnTo a path of ours, as `/onboarding/status`
 */
export async function requirePerson({ role, returnTo }: { role?: Role; returnTo?: string } = {}): Promise<Person> {
  const person = await findPerson();
  if (!person) redirect(returnTo ? `/sign-in?${new URLSearchParams({ return_to: returnTo })}` : "/sign-in");
  if (role && person.role !== role) notFound();
  return person;
}

/** Signs the person in, in this browser. To be called by an action or a route handler, where cookies can be written. */
export async function openSession(partner: Partner, person: Person): Promise<void> {
  const { name, options } = sessionCookie(partner);
  const jar = await cookies();
  await endSession(partner, jar.get(name)?.value);
  jar.set(name, await sealSession(partner, person.id), options);
}

/** Signs out: the session ends on the server, so that no copy of its cookie is of use any more. */
export async function closeSession(partner: Partner): Promise<void> {
  const { name, options } = sessionCookie(partner);
  const jar = await cookies();
  await endSession(partner, jar.get(name)?.value);
  jar.set(name, "", { ...options, maxAge: 0 });
}

/** Where somebody goes on after signing in. `/onboarding` knows how far a seller is and leads on from there. */
export function homePathOf({ role }: Pick<Person, "role">): string {
  return role === "operator" ? "/business" : "/onboarding";
}
