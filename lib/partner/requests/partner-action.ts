import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import { closeSession, findPerson, type Person } from "../people/session.ts";
import { partner } from "../process-partner.ts";
import type { Role } from "../storage/people.ts";
import { type FormState, parseForm } from "./form-state.ts";

/** Who may call an action: answers with them, or redirects everyone else. */
type Access<Who> = (partner: Partner, sent: unknown) => Promise<Who>;

/**
 * The person who is signed in, in this role. Without a session nothing is parsed, and the sign-in page says that it ended.
 * `returnTo`: the page after signing in, which may bring back what was sent.
 */
export function signedIn({
  role,
  returnTo,
}: {
  role: Role;
  returnTo: string | ((sent: unknown) => string);
}): Access<Person> {
  return async (partner, sent) => {
    const person = await findPerson();
    if (!person) {
      // An action that changes a cookie has Next draw the page's header again, as signed out.
      await closeSession(partner);
      const return_to = typeof returnTo === "string" ? returnTo : returnTo(sent);
      redirect(`/sign-in?${new URLSearchParams({ return_to, ended: "yes" })}`);
    }
    if (person.role !== role) notFound();
    return person;
  };
}

/** Whoever comes, signed in or not. */
export const anybody: Access<undefined> = async () => undefined;

/** What a form sends that asks nothing. */
export const noFields = z.object({});

/**
 * Makes a server action of Harbor. There is no other way to make one (lint/partner-actions.grit): asked at Harbor's own
 * listener, by somebody who may, with what the schema takes; then `run` gets the parsed values. It redirects when all went
 * well, or answers what the form is to show.
 *
 * A form's action is a public endpoint: one Next serves both apps, so it could be posted at the other app's listener, where
 * Harbor's cookies and rules do not hold. There it does not exist (Decision D1).
 */
export function partnerAction<Who, Schema extends z.ZodMiniType>(
  access: Access<Who>,
  schema: Schema,
  run: (partner: Partner, values: z.output<Schema>, who: Who) => Promise<FormState>,
): (previous: FormState, sent: FormData | z.input<Schema>) => Promise<FormState> {
  return async (_previous, sent) => {
    if ((await headers()).get("x-gangway-app") !== "partner") notFound();
    const who = await access(partner(), sent);
    const parsed = parseForm(schema, sent);
    return parsed.kind === "ok" ? run(partner(), parsed.values, who) : parsed.form;
  };
}
