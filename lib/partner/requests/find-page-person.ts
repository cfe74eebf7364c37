import { findPerson, type Person } from "../people/session.ts";
import { pagePersonHeader } from "./page-person.ts";

/** Whoever is signed in, if the page that asks is theirs or does not say whose it is. */
export async function findPagePerson({ headers }: Request): Promise<Person | undefined> {
  const person = await findPerson();
  return (headers.get(pagePersonHeader) ?? person?.id) === person?.id ? person : undefined;
}
