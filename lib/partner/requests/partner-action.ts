import type { CookieStore } from "iron-session";
import { refresh } from "next/cache";
import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import * as z from "zod/mini";
import { pagePersonField } from "../live/live-event.ts";
import type { Partner } from "../partner.ts";
import { closeSession, findPerson, type Person } from "../people/session.ts";
import { partner } from "../process-partner.ts";
import type { Role } from "../storage/people.ts";
import { type ActionResult, type FormState, parseForm } from "./form-state.ts";

/** Decides who can call an action: returns them, or redirects everyone else. */
type Access<Who> = (partner: Partner, sent: unknown) => Promise<Who>;

/**
 * Requires a signed-in person in this role. Others sign in and return to `returnTo`, which can restore the form. If
 * another tab signed in someone else since the page was rendered, it is shown again, for the current person.
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
    const return_to = typeof returnTo === "string" ? returnTo : returnTo(sent);
    if (!person) {
      // Changing a cookie makes Next render the header again, as signed out.
      await closeSession(partner);
      redirect(`/sign-in?${new URLSearchParams({ return_to, ended: "yes" })}`);
    }
    if (person.role !== role) notFound();
    const pagePerson = sentField(sent, pagePersonField);
    if (pagePerson !== undefined && pagePerson !== person.id) {
      refresh();
      redirect(return_to);
    }
    return person;
  };
}

/** A text field of what a form sent, before it is parsed. */
function sentField(sent: unknown, name: string): string | undefined {
  const fields = sent instanceof FormData ? Object.fromEntries(sent) : sent;
  return z.object({ [name]: z.string() }).safeParse(fields).data?.[name];
}

export const anyVisitor: Access<undefined> = async () => undefined;

export const noFields = z.object({});

/** The browser that sent a form. `clientAddress`: its address as our own gateway saw it. */
export type Browser = { clientAddress: string; cookies: CookieStore };

/**
 * Makes a server action of Harbor; the lint rule partner-actions.grit allows no other way. Checks the listener, then
 * access, then the fields; `run` gets the parsed values.
 *
 * An action is a public endpoint, and one Next serves both apps: the other app's listener answers 404 (Decision D1).
 */
export function partnerAction<Who, Schema extends z.ZodMiniType>(
  access: Access<Who>,
  schema: Schema,
  run: (partner: Partner, values: z.output<Schema>, who: Who, browser: Browser) => Promise<ActionResult>,
): (previous: FormState, sent: FormData | z.input<Schema>) => Promise<FormState> {
  return async (_previous, sent) => {
    const requestHeaders = await headers();
    if (requestHeaders.get("x-gangway-app") !== "partner") notFound();
    const who = await access(partner(), sent);
    const parsed = parseForm(schema, sent);
    if (parsed.kind === "problem") return parsed.form;
    const browser = { clientAddress: clientAddressOf(requestHeaders) ?? "127.0.0.1", cookies: await cookies() };
    const result = await run(partner(), parsed.values, who, browser);
    if ("redirectTo" in result) {
      // The Back button must not show the page as it was before.
      refresh();
      redirect(result.redirectTo);
    }
    return result;
  };
}

/** The address at the other end of the connection; undefined without our gateway. */
export function clientAddressOf(requestHeaders: Headers): string | undefined {
  return requestHeaders.get("x-gangway-client-address") || undefined;
}
