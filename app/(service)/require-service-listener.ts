import { headers } from "next/headers";
import { notFound } from "next/navigation";

/** 404 unless the request came through the service's gateway, which sets a header. */
export async function requireServiceListener(): Promise<void> {
  if ((await headers()).get("x-gangway-app") !== "service") notFound();
}
