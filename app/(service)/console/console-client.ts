import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import {
  type ConsoleClient,
  consoleCookieName,
  readConsoleClient,
} from "#lib/service/sandbox/console/console-session.ts";
import { hasConsole, signInAddress } from "#lib/service/sandbox/console/sign-in.ts";
import { requireServiceListener } from "../require-service-listener.ts";

/** Who is signed in; undefined for nobody. 404 where there is no console. */
export async function findConsoleClient(): Promise<ConsoleClient | undefined> {
  await requireServiceListener();
  if (!hasConsole()) notFound();
  return readConsoleClient((await cookies()).get(consoleCookieName())?.value);
}

/** Who is signed in; whoever is not is sent to the form, which leads back to the page that was asked for. */
export async function requireConsoleClient(): Promise<ConsoleClient> {
  return (await findConsoleClient()) ?? redirect(signInAddress((await headers()).get("x-gangway-target")));
}
