import type { Person } from "../storage/people.ts";

/** Where somebody goes on after signing in. `/onboarding` knows how far a seller is and leads on from there. */
export function homeOf({ role }: Pick<Person, "role">): string {
  return role === "operator" ? "/business" : "/onboarding";
}
