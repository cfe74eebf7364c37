import { randomBytes } from "node:crypto";

/**
 * The policy of one page view, with a nonce of its own: scripts and styles from our own origin only.
 * @param formTargets further origins to which a form of this page may redirect: Chromium applies form-action to the
 *   redirects after a POST too
 */
export function contentSecurityPolicy(formTargets: readonly string[], { isDevelopment = false } = {}): string {
  const nonce = randomBytes(16).toString("base64");
  const directives = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    // In development Next adds styles from scripts, without a nonce.
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "object-src 'none'",
    "base-uri 'none'",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "frame-ancestors 'none'",
  ];
  return directives.join("; ");
}
