import type { CookieStore } from "iron-session";
import { refresh } from "next/cache";
import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import * as z from "zod/mini";
import { words } from "#words";
import { pagePersonField } from "../live/live-event.ts";
import type { Partner } from "../partner.ts";
import { closeSession, findPerson, type Person } from "../people/session.ts";
import { partner } from "../process-partner.ts";
import type { Role } from "../storage/people.ts";
import { ownPath } from "./form-fields.ts";
import { type ActionResult, type FormState, parseForm, problemAt } from "./form-state.ts";

/** Decides who can call an action: returns them, or what the form shows, or redirects everyone else. */
export type Access<Who> = (
  partner: Partner,
  sent: unknown,
) => Promise<{ kind: "ok"; who: Who } | { kind: "problem"; form: FormState }>;

/**
 * Requires a signed-in person in this role. Others sign in and return to `returnTo`, which can restore the form. If
 * another tab signed in someone else since the page was rendered, it is shown again, for the current person, or the
 * form says who is signed in, if their role has no such page.
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
    const return_to = ownPath(typeof returnTo === "string" ? returnTo : returnTo(sent), "");
    if (!person) {
      // Changing a cookie makes Next render the header again, as signed out.
      await closeSession(partner);
      redirect(`/sign-in?${new URLSearchParams({ return_to, ended: "yes" })}`);
    }
    const pagePerson = sentField(sent, pagePersonField);
    const isOthersPage = pagePerson !== undefined && pagePerson !== person.id;
    if (person.role !== role) return isOthersPage ? { kind: "problem", form: otherAccount(person) } : notFound();
    if (isOthersPage) {
      refresh();
      redirect(return_to);
    }
    return { kind: "ok", who: person };
  };
}

function otherAccount({ firstName, lastName }: Person): FormState {
  const t = words("problems");
  const title = t("otherAccountTitle", { name: `${firstName} ${lastName}` });
  return problemAt("form", t("otherAccount"), { title });
}

/** A text field of what a form sent, before it is parsed. */
function sentField(sent: unknown, name: string): string | undefined {
  const fields = sent instanceof FormData ? Object.fromEntries(sent) : sent;
  return z.object({ [name]: z.string() }).safeParse(fields).data?.[name];
}

export const anyVisitor: Access<undefined> = async () => ({ kind: "ok", who: undefined });

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
    const accessed = await access(partner(), sent);
    if (accessed.kind === "problem") return accessed.form;
    const parsed = parseForm(schema, sent);
    if (parsed.kind === "problem") return parsed.form;
    const browser = { clientAddress: clientAddressOf(requestHeaders) ?? "127.0.0.1", cookies: await cookies() };
    const result = await run(partner(), parsed.values, accessed.who, browser);
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
