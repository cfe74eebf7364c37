import { headers } from "next/headers";

/** The address of the browser's end of the connection, as our own gateway saw it. */
export async function readClientAddress(): Promise<string> {
  return readClientAddressOf(await headers()) ?? "127.0.0.1";
}

/** The same, of a request's own headers; undefined where no gateway is in front. */
export function readClientAddressOf(headers: Headers): string | undefined {
  return headers.get("x-gangway-client-address") || undefined;
}
