import { cookies } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import type { Partner } from "../partner.ts";
import { partner } from "../process-partner.ts";
import { setActor } from "../requests/current-action.ts";
import { ownPath } from "../requests/form-fields.ts";
import type { Person, Role } from "../storage/people.ts";
import { endSession, findPersonOf, sealSession, sessionCookie } from "./session-cookie.ts";

export type { Person, Role };

export type SignedIn = { person: Person; sessionIdHash: Buffer };

/** The signed-in person. */
export async function findPerson(): Promise<Person | undefined> {
  return (await findSignedIn())?.person;
}

/** The signed-in person and their session, read once per request. */
export const findSignedIn = cache(async (): Promise<SignedIn | undefined> => {
  const signedIn = await findPersonOf(partner(), (await cookies()).get(sessionCookie(partner()).name)?.value);
  if (signedIn) setActor(signedIn.person.id);
  return signedIn;
});

/** The signed-in person for a page. Others sign in and return to `returnTo`; for another role the page is a 404. */
export async function requirePerson({ role, returnTo }: { role?: Role; returnTo?: string } = {}): Promise<Person> {
  const person = await findPerson();
  if (!person) {
    const return_to = ownPath(returnTo, "");
    redirect(return_to === "" ? "/sign-in" : `/sign-in?${new URLSearchParams({ return_to })}`);
  }
  if (role && person.role !== role) notFound();
  return person;
}

/** Signs the person in. Only for actions and route handlers, which can write cookies. */
export async function openSession(partner: Partner, person: Person): Promise<void> {
  const { name, options } = sessionCookie(partner);
  const jar = await cookies();
  await endSession(partner, jar.get(name)?.value);
  jar.set(name, await sealSession(partner, person.id), options);
}

export async function closeSession(partner: Partner): Promise<void> {
  const { name, options } = sessionCookie(partner);
  const jar = await cookies();
  await endSession(partner, jar.get(name)?.value);
  jar.set(name, "", { ...options, maxAge: 0 });
}

/** The page after signing in; `/onboarding` redirects onboarded sellers. */
export function homePathOf({ role }: Pick<Person, "role">): string {
  return role === "operator" ? "/business" : "/onboarding";
}

const otherRolesPages: Record<Role, RegExp> = {
  seller: /^\/(?:business|routines)(?![^/?])/,
  operator: /^\/(?:dashboard|onboarding)(?![^/?])/,
};

/** The page to continue at after signing in; a page of the other role would be a 404. */
export function pathAfterSignIn(person: Pick<Person, "role">, returnTo: string, home = homePathOf(person)): string {
  return returnTo === "" || otherRolesPages[person.role].test(returnTo) ? home : returnTo;
}
