import { limits } from "../../contract/limits.ts";
import { serviceConfig } from "../config.ts";

// Decision D9
const pagesPath = "/login/oauth/authorize";

/** The name of a visit's own cookie, so that two tabs do not mix. On https the prefix binds it to this host alone. */
export function visitCookieName(visitId: string): string {
  return `${isOnHttps() ? "__Host-" : ""}visit-${visitId}`;
}

/** The `set-cookie` header that gives a browser the secret of its visit; scripts never see it. */
export function visitCookieHeader(visitId: string, visitSecret: string): string {
  // The prefix __Host- demands the path "/".
  const place = isOnHttps() ? "Path=/; Secure" : `Path=${pagesPath}`;
  const lifetime = `Max-Age=${limits.visitSeconds}`;
  return `${visitCookieName(visitId)}=${visitSecret}; ${place}; ${lifetime}; HttpOnly; SameSite=Lax`;
}

/** The address of a visit's page, whatever text the id is. */
export function visitPath(visitId: string): string {
  return `${pagesPath}/${encodeURIComponent(visitId)}`;
}

function isOnHttps(): boolean {
  return serviceConfig().authUrl.startsWith("https:");
}
