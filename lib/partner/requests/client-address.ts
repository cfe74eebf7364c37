import { headers } from "next/headers";

/** The address of the browser's end of the connection, as our own gateway saw it. */
export async function readClientAddress(): Promise<string> {
  return (await headers()).get("x-gangway-client-address") || "127.0.0.1";
}
