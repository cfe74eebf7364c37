import type { IncomingMessage } from "node:http";
import type { Forwarding } from "./forwarding.ts";

/** What a request line asks for: a path, and the authority of an absolute address, which is rare. */
export type Target = { authority: string | undefined; path: string };

/** Every server must accept a whole address in place of a path (RFC 9112 section 3.2.2); then its host is checked as well. */
export function readTarget(url: string): Target {
  if (url.startsWith("/")) return { authority: undefined, path: url };
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (authority === undefined) return { authority, path: url };
  return { authority, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** Whether a request names this origin's host, once, and no other (Decision D1). */
export function isForHost(
  request: IncomingMessage,
  { host, protocol }: { host: string; protocol: string },
  { forwarding, target }: { forwarding: Forwarding; target: Target },
): boolean {
  const named = [forwarding.host, ...(target.authority === undefined ? [] : [target.authority])];
  const defaultPort = protocol === "https:" ? /:443$/ : /:80$/;
  return countHosts(request) <= 1 && named.every((name) => name?.toLowerCase().replace(defaultPort, "") === host);
}

// Node keeps the first of several; a proxy might have used the last.
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}
