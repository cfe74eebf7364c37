import { headers } from "next/headers";
import { notFound } from "next/navigation";

/** Answers 404 unless the request came through the service's own gateway, which says so in a header. */
export async function requireServiceListener(): Promise<void> {
  if ((await headers()).get("x-gangway-app") !== "service") notFound();
}
