import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import type { Network } from "../lib/kit/networks.ts";
import { type Admitted, admitToPages } from "./admit-to-pages.ts";
import { answerIcon } from "./answer-icon.ts";
import { type App, type Destination, destinationOf } from "./app-paths.ts";
import { contentSecurityPolicy } from "./content-security-policy.ts";
import { type Forwarding, readForwarding } from "./forwarding.ts";
import { isForHost, readTarget } from "./host-check.ts";
import { answerOutage } from "./outage-page.ts";
import { markOwnRequest, readOwnRequest } from "./own-request.ts";
import { answerPlainly, refuse } from "./plain-answers.ts";
import type { ActionsOfPath } from "./server-actions.ts";

export type GatewayOptions = {
  app: App;
  /** The base address that this gateway answers for; a request for another host is refused. */
  origin: string;
  isDevelopment: boolean;
  /** The proxies that may name a request's sender, host and scheme. */
  trustedProxies: readonly Network[];
  /** False while the process stops: then readiness fails and every answer asks for its connection to be closed. */
  isOpen: () => boolean;
  /** Whether what stands behind the gateway can answer now. */
  isReady: () => Promise<boolean>;
  /** Counts a request that the API does not count itself; false when its address is over the limit for this second. */
  isWithinRate: (address: string) => Promise<boolean>;
  pages?: RequestListener;
  /** Which server actions a page holds; unknown in development, where pages are built as they are asked for. */
  actionsOf?: ActionsOfPath | undefined;
  api?: RequestListener;
  /** Where the API of this app is, when it is not here: people who ask for one of its pages are sent there. */
  apiUrl?: string;
  /** Further origins that the forms of the page at this path may lead to; throws while no page can be shown. */
  findFormTargets: (path: string) => Promise<string[]>;
};

/**
 * Handles the requests of one origin. Only its own app's paths under its own host pass. Headers that only a proxy or the
 * gateway itself may set are dropped first, so that Next and Hono can trust them.
 */
export function createGateway(options: GatewayOptions): RequestListener {
  const { host, protocol } = new URL(options.origin);
  return (request, response) => {
    if (!options.isOpen()) response.setHeader("connection", "close");
    const forwarding = readOwnRequest(request, options.app, host) ?? readForwarding(request, options.trustedProxies);
    const target = readTarget(request.url ?? "");
    if (!isForHost(request, { host, protocol }, { forwarding, target })) {
      refuse(request, response, forwarding, 421, "This address does not answer for that host.");
      return;
    }
    if (forwarding.protocol !== undefined && forwarding.protocol !== protocol) {
      sendToScheme(request, response, forwarding, `${options.origin}${target.path}`);
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
      refuse(request, response, forwarding, 403, "Pages of another site cannot change a sandbox.");
      return;
    }
    // The API counts its requests itself, because its 429 has a body of its own.
    if (destination === "api" && options.api) options.api(request, response);
    else void answer({ request, response, path, clientAddress: forwarding.clientAddress }, destination, options);
  };
}

// A browser sends credentials that stand in a form's address, whichever site the form is on. Programs send neither header.
function isFromAnotherSite({ method = "", headers }: IncomingMessage, origin: string): boolean {
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return false;
  const site = headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site" || (headers.origin !== undefined && headers.origin !== origin);
}

// A path that neither Next nor the API has, so that each answers with its own "not found".
const pathOfNothing = "/nowhere";

async function answer(admitted: Admitted, destination: Destination, options: GatewayOptions): Promise<void> {
  const { request, response, path } = admitted;
  try {
    const isPage = destination === "pages" && options.pages;
    const isOwn = destination === "health" || destination === "icon";
    if (!isPage && !isOwn && !isForPerson(request, options) && options.api) {
      request.url = pathOfNothing;
      options.api(request, response);
    } else if (!(await options.isWithinRate(admitted.clientAddress))) {
      response.setHeader("retry-after", "1");
      refuse(request, response, admitted, 429, "Too many requests from your address: please wait a second.");
    } else if (destination === "health") await showHealth(path, response, options);
    else if (destination === "icon") answerIcon(response, options.app);
    else if (isPage) await showPage(admitted, options);
    else if (destination === "api" && options.apiUrl && isForPerson(request, options)) {
      response.writeHead(303, { location: `${options.apiUrl}${request.url}`, "cache-control": "no-store" }).end();
    } else await showNothing(admitted, options);
  } catch (error) {
    log().error({ error: describeError(error) }, "a page request failed unexpectedly");
    if (response.headersSent) response.destroy();
    else if (isForPerson(request, options)) answerOutage(response, options.app, 500);
    else answerPlainly(response, 500, "Something went wrong on our side. Please try again in a moment.");
  }
}

// A process that answers at all is alive. A load balancer asks /readyz and sends no requests here while it fails.
async function showHealth(path: string, response: ServerResponse, { isOpen, isReady }: GatewayOptions): Promise<void> {
  if (path === "/healthz") answerPlainly(response, 200, "alive");
  else if (!isOpen()) answerPlainly(response, 503, "stopping");
  else if (await isReady()) answerPlainly(response, 200, "ready");
  else answerPlainly(response, 503, "not ready");
}

async function showPage(admitted: Admitted, options: GatewayOptions): Promise<void> {
  const { response, path } = admitted;
  const request = await admitToPages(admitted, options.actionsOf);
  if (!request) return;
  const formTargets = await findFormTargets(path, options);
  if (!formTargets) {
    if (isForPerson(request, options)) answerOutage(response, options.app, 503);
    else answerPlainly(response, 503, "This page can't be shown right now. Please try again in a moment.");
    return;
  }
  const policy = contentSecurityPolicy(formTargets, options);
  markOwnRequest(request);
  // A page does not learn its own address from Next, and what asks for a sign-in must lead back to it.
  request.headers["x-gangway-target"] = request.url;
  // Next takes the nonce for its scripts from the request's own header of this name.
  request.headers["content-security-policy"] = policy;
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  // Under "no-referrer" a browser sends `Origin: null` with a form, which the action handler refuses (Decision D9).
  response.setHeader("referrer-policy", "same-origin");
  tellNoReferrerOnRedirects(response);
  options.pages?.(request, response);
}

async function findFormTargets(path: string, options: GatewayOptions): Promise<string[] | undefined> {
  try {
    return await options.findFormTargets(path);
  } catch (error) {
    log().error({ error: describeError(error) }, "a page could not be prepared");
    return undefined;
  }
}

// The address of a redirect or an entry holds a session token or a code, which the next site must not see.
function tellNoReferrerOnRedirects(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = function writeHeadWithPolicy(this: ServerResponse, status: number, ...rest: unknown[]) {
    if (status >= 300 && status < 500) this.setHeader("referrer-policy", "no-referrer");
    return Reflect.apply(writeHead, this, [status, ...rest]);
  } as typeof response.writeHead;
}

// A person gets the "not found" page, a program the API's answer. Neither says whether the path exists in the other app.
async function showNothing(admitted: Admitted, options: GatewayOptions): Promise<void> {
  if (isForPerson(admitted.request, options)) {
    admitted.request.url = pathOfNothing;
    await showPage({ ...admitted, path: pathOfNothing }, options);
  } else answerPlainly(admitted.response, 404, "There is nothing at this address.");
}

function isForPerson({ method, headers }: IncomingMessage, { pages }: GatewayOptions): boolean {
  return pages !== undefined && method === "GET" && (headers.accept?.includes("text/html") ?? false);
}

// A page can simply be requested again over https. A program that sent data in the clear must learn that it did.
function sendToScheme(
  request: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
  location: string,
): void {
  if (request.method === "GET" || request.method === "HEAD") {
    response.writeHead(308, { location, "cache-control": "no-store" }).end();
  } else refuse(request, response, forwarding, 421, "This address does not answer for that scheme.");
}

// Decision D1: forwarding headers come from a trusted proxy or not at all; x-middleware-* skipped checks once (CVE-2025-29927).
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
