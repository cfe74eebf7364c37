import { headers } from "next/headers";
import { notFound } from "next/navigation";

/** Lets a server action go on only when it was posted at the service's own gateway, which names itself in a header of its own. */
export async function requireServiceListener(): Promise<void> {
  if ((await headers()).get("x-gangway-app") !== "service") notFound();
}
