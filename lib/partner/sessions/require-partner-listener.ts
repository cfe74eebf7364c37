import { headers } from "next/headers";
import { notFound } from "next/navigation";

/**
 * Every server action of Harbor asks this first: one Next serves both apps, so an action could be posted at the other
 * app's gateway, where Harbor's cookies and rules do not hold. There it does not exist (Decision D1).
 */
export async function requirePartnerListener(): Promise<void> {
  if ((await headers()).get("x-gangway-app") !== "partner") notFound();
}

/** The address of the browser's end of the connection, as our own gateway saw it. */
export async function readClientAddress(): Promise<string> {
  return (await headers()).get("x-gangway-client-address") || "127.0.0.1";
}
