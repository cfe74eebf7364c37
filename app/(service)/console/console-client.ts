import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import {
  type ConsoleClient,
  consoleCookieName,
  readConsoleClient,
} from "#lib/service/sandbox/console/console-session.ts";
import { ClientRefusedError } from "#lib/service/sandbox/console/read.ts";
import { hasConsole, refusedClientAddress, signInAddress } from "#lib/service/sandbox/console/sign-in.ts";
import { requireServiceListener } from "../require-service-listener.ts";

/** The signed-in client, if any; 404 if the console is off. */
export async function findConsoleClient(): Promise<ConsoleClient | undefined> {
  await requireServiceListener();
  if (!hasConsole()) notFound();
  return readConsoleClient((await cookies()).get(consoleCookieName())?.value);
}

/**
 * Loads data of the signed-in client. Redirects to the sign-in page and back if no client is signed in or the service
 * refuses it.
 */
export async function asConsoleClient<Loaded>(load: (client: ConsoleClient) => Promise<Loaded>): Promise<Loaded> {
  const requestedPath = (await headers()).get("x-gangway-target");
  const client = (await findConsoleClient()) ?? redirect(signInAddress(requestedPath));
  try {
    return await load(client);
  } catch (error) {
    if (error instanceof ClientRefusedError) redirect(refusedClientAddress(requestedPath));
    throw error;
  }
}
