import { headers } from "next/headers";
import { notFound } from "next/navigation";

/**
 * Every server action of Harbor asks this first: one Next serves both houses, so an action could be posted at the other
 * house's door, where Harbor's cookies and rules do not hold. There it does not exist (Decision D1).
 */
export async function requirePartnerDoor(): Promise<void> {
  if ((await headers()).get("x-gangway-house") !== "partner") notFound();
}

/** The address of the browser's end of the connection, as our own door saw it. */
export async function readClientAddress(): Promise<string> {
  return (await headers()).get("x-gangway-client-address") || "127.0.0.1";
}
