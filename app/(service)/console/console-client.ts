import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import {
  type ConsoleClient,
  consoleCookieName,
  readConsoleClient,
} from "#lib/service/sandbox/console/console-session.ts";
import { hasConsole, signInAddress } from "#lib/service/sandbox/console/sign-in.ts";
import { requireServiceListener } from "../require-service-listener.ts";

/** The signed-in client, if any; 404 if the console is off. */
export async function findConsoleClient(): Promise<ConsoleClient | undefined> {
  await requireServiceListener();
  if (!hasConsole()) notFound();
  return readConsoleClient((await cookies()).get(consoleCookieName())?.value);
}

/** The signed-in client; otherwise redirects to the sign-in page and back. */
export async function requireConsoleClient(): Promise<ConsoleClient> {
  return (await findConsoleClient()) ?? redirect(signInAddress((await headers()).get("x-gangway-target")));
}
