import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import type { Network } from "../lib/kit/networks.ts";
import { type Forwarding, isForHost, readForwarding, readOwnRequest, readTarget } from "./forwarding.ts";
import { answerIcon, answerOutage, answerPlainly, refuse, wantsHtml } from "./plain-answers.ts";
import type { App } from "./roles.ts";
import { type Admitted, type PageOptions, showPage } from "./show-page.ts";

export type GatewayOptions = PageOptions & {
  origin: string;
  trustedProxies: readonly Network[];
  /** False while the process stops. */
  isOpen: () => boolean;
  isReady: () => Promise<boolean>;
  /** Counts a request that the API does not count itself; false when its address is over the limit. */
  isWithinRate: (address: string) => Promise<boolean>;
  api?: RequestListener;
  /** Where this app's API is when another process serves it: browsers that ask for its pages are redirected there. */
  apiUrl?: string;
};

/**
 * Handles the requests of one origin. Only its own app's paths under its own host pass. Headers that only a proxy or the
 * gateway may set are dropped first, so that Next and Hono can trust them.
 */
export function createGateway(options: GatewayOptions): RequestListener {
  const { host, protocol } = new URL(options.origin);
  return (request, response) => {
    const forwarding = readOwnRequest(request, options.app, host) ?? readForwarding(request, options.trustedProxies);
    const target = readTarget(request.url ?? "");
    if (!isForHost(request, { host, protocol }, { forwarding, target })) {
      refuse(request, response, forwarding, 421, "This address does not answer for that host.");
      return;
    }
    if (forwarding.protocol !== undefined && forwarding.protocol !== protocol) {
      redirectToScheme(request, response, forwarding, `${options.origin}${target.path}`);
      return;
    }
    request.url = target.path;
    replaceForeignHeaders(request, {
      host,
      "x-gangway-app": options.app,
      "x-gangway-client-address": forwarding.clientAddress,
    });
    if (protocol === "https:") response.setHeader("strict-transport-security", "max-age=63072000; includeSubDomains");

    const path = target.path.split("?")[0] ?? "";
    const destination = destinationOf(options.app, path, options);
    if (path.startsWith("/sandbox/") && isFromAnotherSite(request, options.origin)) {
      refuse(request, response, forwarding, 403, "Other sites cannot change a sandbox.");
      return;
    }
    // The API counts its requests itself, because its 429 has a body of its own.
    if (destination === "api" && options.api) options.api(request, response);
    else void answer({ request, response, path, clientAddress: forwarding.clientAddress }, destination, options);
  };
}

// The first path segment decides. Each page or route under app/ must be listed here too, or the gateway answers 404.
const partnerPages = ["", "sign-up", "sign-in", "onboarding", "callback", "dashboard", "business", "routines"];
const partnerRoutes = ["webhooks", "api", "v1", "live"];
const servicePages = ["login", "console"];
const serviceApi = [
  "",
  "v1",
  "sandbox",
  ".well-known",
  "openapi.json",
  "docs",
  "status",
  "terms",
  "privacy",
  "metrics",
];

/** To Next, to Hono, to the gateway's own answers, or nowhere. */
export type Destination = "pages" | "api" | "health" | "icon" | "nowhere";

/** Decides by the path alone. An ambiguous path goes nowhere. */
export function destinationOf(app: App, path: string, { isDevelopment = false } = {}): Destination {
  const segments = path.split("/").slice(1);
  const first = segments[0] ?? "";
  if (!path.startsWith("/") || isAmbiguous(path)) return "nowhere";
  if (path === "/healthz" || path === "/readyz") return "health";
  if (path === "/favicon.ico") return "icon";
  if (first === "_next") return isDevelopment || segments[1] === "static" ? "pages" : "nowhere";
  if (isDevelopment && first.startsWith("__nextjs")) return "pages";
  // Brand files are in public/<app>/.
  if (first === app && segments.length > 1) return "pages";
  if (app === "partner") {
    if (first === "v1" && segments[1] !== "customers") return "nowhere";
    if (first === "api" && segments[1] !== "sandbox") return "nowhere";
    return [...partnerPages, ...partnerRoutes].includes(first) ? "pages" : "nowhere";
  }
  if (servicePages.includes(first)) return "pages";
  return serviceApi.includes(first) ? "api" : "nowhere";
}

// Two programs could read encoded slashes, dots and letters or doubled slashes differently.
function isAmbiguous(path: string): boolean {
  const first = path.split("/")[1] ?? "";
  return /\/\/|\\|#|%2f|%5c|\/\.{1,2}(?:\/|$)|%2e/i.test(path) || first.includes("%") || !isDecodable(path);
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}

// A browser sends the credentials of a URL from a form on any site. Programs send neither header.
function isFromAnotherSite({ method = "", headers }: IncomingMessage, origin: string): boolean {
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return false;
  const site = headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site" || (headers.origin !== undefined && headers.origin !== origin);
}

// A page can be requested again over https. A program that sent data in plain text gets an error.
function redirectToScheme(
  request: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
  location: string,
): void {
  if (request.method === "GET" || request.method === "HEAD") {
    response.writeHead(308, { location, "cache-control": "no-store" }).end();
  } else refuse(request, response, forwarding, 421, "This address does not answer for that scheme.");
}

// Decision D1. Next skipped checks for x-middleware-* once (CVE-2025-29927).
const foreignHeaders =
  /^(?:forwarded|x-forwarded-.*|x-real-ip|x-gangway-.*|x-middleware-.*|x-invoke-.*|x-matched-path|x-now-.*|x-next-.*|next-resume|x-prerender-.*|content-security-policy)$/;

/** Drops them, and sets our own. Changes both lists of headers, because Next and Hono read one or the other. */
export function replaceForeignHeaders(request: IncomingMessage, own: Record<string, string>): void {
  const { headers, rawHeaders } = request;
  const raw: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const key = name.toLowerCase();
    if (foreignHeaders.test(key) || Object.hasOwn(own, key)) delete headers[key];
    else raw.push(name, rawHeaders[index + 1] ?? "");
  }
  for (const name in own) raw.push(name, own[name] ?? "");
  Object.assign(headers, own);
  request.rawHeaders = raw;
}

// Neither Next nor the API has this path, so each answers with its own "not found".
const unknownPath = "/nowhere";

async function answer(admitted: Admitted, destination: Destination, options: GatewayOptions): Promise<void> {
  const { request, response, path } = admitted;
  try {
    const isPage = destination === "pages" && options.pages;
    const isOwn = destination === "health" || destination === "icon";
    const isForPerson = wantsHtml(request) && options.pages;
    if (!isPage && !isOwn && !isForPerson && options.api) {
      request.url = unknownPath;
      options.api(request, response);
    } else if (!(await options.isWithinRate(admitted.clientAddress))) {
      response.setHeader("retry-after", "1");
      refuse(request, response, admitted, 429, "Too many requests from your address: please wait a second.");
    } else if (destination === "health") await answerHealth(path, response, options);
    else if (destination === "icon") answerIcon(response, options.app);
    else if (isPage) await showPage(admitted, options);
    else if (!isForPerson) answerPlainly(response, 404, "There is nothing at this address.");
    else if (destination === "api" && options.apiUrl) {
      response.writeHead(303, { location: `${options.apiUrl}${request.url}`, "cache-control": "no-store" }).end();
    } else {
      // Never says whether the path exists in the other app.
      request.url = unknownPath;
      await showPage({ ...admitted, path: unknownPath }, options);
    }
  } catch (error) {
    log().error({ error: describeError(error) }, "a page request failed unexpectedly");
    if (response.headersSent) response.destroy();
    else if (wantsHtml(request) && options.pages) answerOutage(response, options.app, 500);
    else answerPlainly(response, 500, "Something went wrong on our side. Please try again in a moment.");
  }
}

// A process that answers at all is alive. A load balancer stops sending requests while /readyz fails.
async function answerHealth(path: string, response: ServerResponse, options: GatewayOptions): Promise<void> {
  if (path === "/healthz") answerPlainly(response, 200, "alive");
  else if (!options.isOpen()) answerPlainly(response, 503, "stopping");
  else if (await options.isReady()) answerPlainly(response, 200, "ready");
  else answerPlainly(response, 503, "not ready");
}
