import { headers } from "next/headers";
import { notFound } from "next/navigation";

/** Lets a server action go on only when it was posted at the service's own door, which names itself in a header of its own. */
export async function requireServiceDoor(): Promise<void> {
  if ((await headers()).get("x-gangway-house") !== "service") notFound();
}
