import { headers } from "next/headers";
import { notFound } from "next/navigation";
import * as z from "zod/mini";
import { type Person, requirePerson } from "../people/session.ts";
import type { Role } from "../storage/people.ts";
import { type FormState, parseForm } from "./form-state.ts";

/** Who may call an action: answers with them, or leads anybody else away. */
type Access<Who> = () => Promise<Who>;

/** Whoever is signed in, in this role; nobody else gets as far as what was sent. `returnTo`: where they go on after signing in. */
export function signedIn(required: { role: Role; returnTo: string }): Access<Person> {
  return () => requirePerson(required);
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
  run: (values: z.output<Schema>, who: Who) => Promise<FormState>,
): (previous: FormState, sent: FormData | z.input<Schema>) => Promise<FormState> {
  return async (_previous, sent) => {
    if ((await headers()).get("x-gangway-app") !== "partner") notFound();
    const who = await access();
    const parsed = parseForm(schema, sent);
    return parsed.kind === "ok" ? run(parsed.values, who) : parsed.form;
  };
}
