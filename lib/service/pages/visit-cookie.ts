import { serviceConfig } from "../config.ts";

// Decision D9
const pagesPath = "/login/oauth/authorize";
// Longer than the visit, so that its page can say that it has expired and link back.
const cookieSeconds = 4 * 60 * 60;

/** One cookie per visit, so that two tabs don't mix. On https the prefix binds it to this host. */
export function visitCookieName(visitId: string): string {
  return `${isOnHttps() ? "__Host-" : ""}visit-${visitId}`;
}

/** The `set-cookie` header with a visit's secret, hidden from scripts. */
export function visitCookieHeader(visitId: string, visitSecret: string): string {
  // The prefix __Host- requires the path "/".
  const scope = isOnHttps() ? "Path=/; Secure" : `Path=${pagesPath}`;
  return `${visitCookieName(visitId)}=${visitSecret}; ${scope}; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax`;
}

export function visitPath(visitId: string): string {
  return `${pagesPath}/${encodeURIComponent(visitId)}`;
}

function isOnHttps(): boolean {
  return serviceConfig().authUrl.startsWith("https:");
}
