import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { brandName } from "../brand/name.ts";
import { log } from "../lib/kit/log.ts";
import { memoize } from "../lib/kit/memoize.ts";
import type { App } from "./roles.ts";

export type Sender = { clientAddress: string };

/** Whether a browser requests a page. */
export function wantsHtml({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && (headers.accept?.includes("text/html") ?? false);
}

/** Refuses a request with one sentence and logs it. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  sender: Sender,
  status: number,
  sentence: string,
): undefined {
  logRefusal(request, sender, status);
  answerText(response, status, sentence);
}

/** Logs only a request's method, status and sender. */
export function logRefusal({ method }: IncomingMessage, { clientAddress }: Sender, status: number): void {
  log().info({ method, status, clientAddress }, "refused at the gateway");
}

export function answerText(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(`${sentence}\n`);
}

/** Answers `/healthz` and `/readyz`. A process that answers at all is alive. Load balancers avoid one whose `/readyz` fails. */
export async function answerHealth(
  response: ServerResponse,
  path: string,
  { isOpen, isReady }: { isOpen: () => boolean; isReady: () => Promise<boolean> },
): Promise<void> {
  if (path === "/healthz") answerText(response, 200, "alive");
  else if (!isOpen()) answerText(response, 503, "stopping");
  else if (await isReady()) answerText(response, 200, "ready");
  else answerText(response, 503, "not ready");
}

const icons: Record<App, () => Buffer> = {
  partner: memoize(() => readIcon("partner")),
  service: memoize(() => readIcon("service")),
};

/** Answers `/favicon.ico`, which browsers request for every page that names no icon. */
export function answerIcon(response: ServerResponse, app: App): void {
  response.writeHead(200, {
    "content-type": "image/svg+xml",
    "cache-control": "public, max-age=86400",
    "x-content-type-options": "nosniff",
  });
  response.end(icons[app]());
}

function readIcon(app: App): Buffer {
  return readFileSync(new URL(`../public/${app}/icon.svg`, import.meta.url));
}

// The page reloads itself after this time.
const retrySeconds = 5;

const names: Record<App, string> = { partner: brandName, service: "Plainbook" };
const plainbookColors = `:root { --canvas: #f4f3ef; --ink: #1b1b19; }
@media (prefers-color-scheme: dark) { :root { --canvas: #131311; --ink: #efeee7; } }`;
const colors: Record<App, () => string> = {
  partner: memoize(() => readFileSync("brand/colors.css", "utf8")),
  // The service's package has no style sheets.
  service: () => plainbookColors,
};

/** Tells a browser that a page can't be shown: reloads it but never resends a form. */
export function answerOutage(response: ServerResponse, app: App, status: 500 | 503): void {
  const retry = String(retrySeconds);
  const body = `<h1>We can’t show this page right now</h1>
<p>We’ll try again every ${retry} seconds. You don’t need to do anything, and nothing is done twice.</p>`;
  const headers = { "retry-after": retry, refresh: retry };
  answerPage(response, app, { status, title: "One moment", body, headers });
}

type ErrorPage = {
  status: number;
  title: string;
  /** Trusted HTML: only our own sentences. */
  body: string;
  language?: string;
  headers?: Record<string, string>;
};

/** Plain HTML in an app's colors, without Next. */
export function answerPage(
  response: ServerResponse,
  app: App,
  { status, title, body, language = "en", headers = {} }: ErrorPage,
): void {
  const nonce = randomBytes(16).toString("base64");
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; img-src 'self'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · ${names[app]}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<style nonce="${nonce}">
${colors[app]()}
body { max-width: 32rem; margin: 0 auto; padding: 3rem 1.25rem; background: var(--canvas); color: var(--ink); font: 1.125rem/1.6 system-ui, sans-serif; }
header { display: flex; gap: .75rem; align-items: center; font-size: 1.375rem; font-weight: 600; }
h1 { margin-top: 3rem; font-size: 2rem; line-height: 1.2; }
a { color: inherit; }
</style>
</head>
<body>
<header><img src="/favicon.ico" alt="" width="32" height="32">${names[app]}</header>
<main>
${body}
</main>
</body>
</html>
`);
}
