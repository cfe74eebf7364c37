import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import { isAddress, isInNetworks, type Network, normalizeAddress } from "../lib/kit/networks.ts";
import { requestMeter } from "../lib/kit/request-meter.ts";
import { isSameSecret } from "../lib/kit/secrets.ts";
import { hasPagesUnder, pageRouteOf } from "./page-routes.ts";
import { answerHealth, answerIcon, answerOutage, answerText, refuse, wantsHtml } from "./responses.ts";
import type { App } from "./roles.ts";
import { type Admitted, type PageOptions, showPage } from "./show-page.ts";
import type { Listener, StartedApp } from "./started-app.ts";

export type GatewayOptions = PageOptions &
  Pick<Listener, "origin" | "api" | "apiUrl"> &
  Pick<StartedApp, "otherHosts" | "isReady" | "isWithinRate"> & {
    trustedProxies: readonly Network[];
    /** False while the process is stopping. */
    isOpen: () => boolean;
    /** Gets each request first, and answers it or calls `serve`. Only a public sandbox has one. */
    guard?: Guard | undefined;
  };

export type Guard = (admitted: Admitted, destination: Destination, serve: () => void) => void;

/**
 * Handles the requests of one origin. Only its own app's paths under its own host pass. Headers that only a proxy or the
 * gateway may set are dropped first, so that Next and Hono can trust them.
 */
export function createGateway(options: GatewayOptions): RequestListener {
  const { host, protocol } = new URL(options.origin);
  const { otherHosts = [] } = options;
  return (request, response) => {
    const forwarding = isOwnRequest(request, options.app)
      ? { clientAddress: String(request.headers["x-gangway-client-address"] ?? ""), host, protocol: undefined }
      : readForwarding(request, options.trustedProxies);
    const target = readTarget(request.url ?? "");
    const name = classifyHost(request, { host, protocol, otherHosts }, { forwarding, target });
    if (name === "foreign") {
      refuse(request, response, forwarding, 421, "This address does not answer for that host.");
      return;
    }
    if (forwarding.protocol !== undefined && forwarding.protocol !== protocol) {
      redirectTo(request, response, forwarding, 308, `${options.origin}${target.path}`);
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
    if (name === "other" && !isProgramsCall(request, destination)) {
      redirectTo(request, response, forwarding, 307, `${options.origin}${target.path}`);
      return;
    }
    if (path.startsWith("/sandbox/") && isFromAnotherSite(request, options.origin)) {
      refuse(request, response, forwarding, 403, "Other sites cannot change a sandbox.");
      return;
    }
    const admitted = { request, response, path, clientAddress: forwarding.clientAddress };
    const serve = () => {
      // The API counts its own requests, because its 429 has its own body.
      if (destination === "api" && options.api) options.api(request, response);
      else void answer(admitted, destination, options);
    };
    if (options.guard) options.guard(admitted, destination, serve);
    else serve();
  };
}

// Known only to this process. Marks a request for Next: after an action redirects, Next requests the new page from this process
// with the first request's headers, but with the host that we are bound to.
const mark = randomBytes(32).toString("hex");

/** Whether Next sent this request to its own process to follow a redirect. */
function isOwnRequest({ method, headers }: IncomingMessage, app: App): boolean {
  return (
    method === "GET" &&
    headers["x-gangway-app"] === app &&
    isSameSecret(String(headers["x-gangway-own-request"] ?? ""), mark)
  );
}

/** Only values from trusted sources. */
type Forwarding = {
  clientAddress: string;
  host: string | undefined;
  /** undefined unless a trusted proxy sets it. */
  protocol: string | undefined;
};

/**
 * Reads a trusted proxy's forwarding headers: the client is the rightmost address of `x-forwarded-for` that isn't a trusted
 * proxy; scheme and host are the last ones listed. From any other peer the headers are ignored. Decision D1
 */
export function readForwarding(request: IncomingMessage, trustedProxies: readonly Network[]): Forwarding {
  const peer = peerOf(request.socket);
  const { host } = request.headers;
  if (!isInNetworks(peer, trustedProxies)) return { clientAddress: peer, host, protocol: undefined };
  const protocol = lastOf(request.headers["x-forwarded-proto"])?.toLowerCase();
  return {
    clientAddress: findClient(peer, listOf(request.headers["x-forwarded-for"]), trustedProxies),
    host: lastOf(request.headers["x-forwarded-host"]) ?? host,
    protocol: protocol && `${protocol}:`,
  };
}

const peers = new WeakMap<Socket, string>();

// Cached per connection, because reading an address is slow.
function peerOf(socket: Socket): string {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = normalizeAddress(socket.remoteAddress ?? "");
  peers.set(socket, peer);
  return peer;
}

// Each proxy appends its peer's address, so an entry can be trusted only if the one to its right can.
function findClient(peer: string, chain: string[], trustedProxies: readonly Network[]): string {
  let client = peer;
  for (const entry of chain.toReversed()) {
    const address = normalizeAddress(withoutPort(entry));
    if (!isInNetworks(client, trustedProxies) || !isAddress(address)) break;
    client = address;
  }
  return client;
}

// Some proxies write `203.0.113.7:4711` and `[2001:db8::7]:4711`.
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return listOf(header).at(-1);
}

function listOf(header: string | string[] | undefined): string[] {
  const entries = [header ?? []].flat().join(",").split(",");
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** The path of a request line, and the authority if its target is an absolute URL. */
type Target = { authority: string | undefined; path: string };

/** Every server must accept an absolute URL as the target (RFC 9112 section 3.2.2); its host is checked too. */
function readTarget(url: string): Target {
  if (url.startsWith("/")) return { authority: undefined, path: url };
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (authority === undefined) return { authority, path: url };
  return { authority, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** `base`: the base address's own host. `other`: another name of the API, on any port. Decision D1 */
function classifyHost(
  request: IncomingMessage,
  { host, protocol, otherHosts }: { host: string; protocol: string; otherHosts: readonly string[] },
  { forwarding, target }: { forwarding: Forwarding; target: Target },
): "base" | "other" | "foreign" {
  if (countHosts(request) > 1) return "foreign";
  const named = [forwarding.host, ...(target.authority === undefined ? [] : [target.authority])];
  const defaultPort = protocol === "https:" ? /:443$/ : /:80$/;
  if (named.every((name) => name?.toLowerCase().replace(defaultPort, "") === host)) return "base";
  return named.every((name) => otherHosts.includes(hostnameOf(name))) ? "other" : "foreign";
}

function hostnameOf(host: string | undefined): string {
  return /^(\[[^\]]+\]|[^:]+)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? "")?.[1] ?? "";
}

// Node keeps the first of several Host headers; a proxy might have used the last.
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

// The first segments of the API's paths. Any other that is not a page's gets 404.
const serviceApi = [
  "",
  "v1",
  "sandbox",
  ".well-known",
  "llms.txt",
  "openapi.json",
  "docs",
  "status",
  "terms",
  "privacy",
  "metrics",
];

/** To Next, to Hono, to the gateway's own answers, or nowhere. */
export type Destination = "pages" | "api" | "health" | "icon" | "nowhere";

/** Looks only at the path. An ambiguous path goes nowhere. */
export function destinationOf(app: App, path: string, { isDevelopment = false } = {}): Destination {
  const segments = path.split("/").slice(1);
  const first = segments[0] ?? "";
  if (!path.startsWith("/") || isAmbiguous(path)) return "nowhere";
  if (path === "/healthz" || path === "/readyz") return "health";
  if (path === "/favicon.ico") return "icon";
  if (first === "_next") return isDevelopment || segments[1] === "static" ? "pages" : "nowhere";
  if (isDevelopment && first.startsWith("__nextjs")) return "pages";
  // Brand files are in public/<app>/.
  if (first === app) return segments.length > 1 ? "pages" : "nowhere";
  if (app === "partner") {
    if (first === "v1" && segments[1] !== "customers") return "nowhere";
    if (first === "api" && segments[1] !== "sandbox") return "nowhere";
  } else if (serviceApi.includes(first)) return "api";
  return hasPagesUnder(app, first) ? "pages" : "nowhere";
}

// Two programs could read encoded slashes, dots and letters, or doubled slashes, differently.
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

// On any site, a form's address can contain credentials, which the browser sends. Programs send neither header.
function isFromAnotherSite({ method = "", headers }: IncomingMessage, origin: string): boolean {
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return false;
  const site = headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site" || (headers.origin !== undefined && headers.origin !== origin);
}

// Pages and their cookies have one origin, so other names serve only programs. A page whose host name was rebound to this
// process sends its origin with each of its script's writes (Decision D1).
function isProgramsCall(request: IncomingMessage, destination: Destination): boolean {
  if (request.headers.origin !== undefined || wantsHtml(request)) return false;
  return destination === "api" || destination === "health" || destination === "nowhere";
}

// A page can be requested again at the right address. A program that sent data to the wrong one gets an error.
function redirectTo(
  request: IncomingMessage,
  response: ServerResponse,
  sender: Forwarding,
  status: 307 | 308,
  location: string,
): void {
  if (request.method === "GET" || request.method === "HEAD") {
    response.writeHead(status, { location, "cache-control": "no-store" }).end();
    return;
  }
  const what = status === 308 ? "scheme" : "host";
  refuse(request, response, sender, 421, `This address does not answer for that ${what}.`);
}

// Decision D1. Next once skipped checks because of x-middleware-* (CVE-2025-29927).
const foreignHeaders =
  /^(?:forwarded|x-forwarded-.*|x-real-ip|x-gangway-.*|x-middleware-.*|x-invoke-.*|x-matched-path|x-now-.*|x-next-.*|next-resume|x-prerender-.*|content-security-policy)$/;

/** Drops these and sets our own, in both lists of headers, because Next and Hono read one or the other. */
export function replaceForeignHeaders(request: IncomingMessage, replacements: Record<string, string>): void {
  const { headers, rawHeaders } = request;
  const raw: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const key = name.toLowerCase();
    if (foreignHeaders.test(key) || Object.hasOwn(replacements, key)) delete headers[key];
    else raw.push(name, rawHeaders[index + 1] ?? "");
  }
  for (const name in replacements) raw.push(name, replacements[name] ?? "");
  Object.assign(headers, replacements);
  request.rawHeaders = raw;
}

// Neither Next nor the API has this path, so each answers with its own "not found".
const unknownPath = "/nowhere";

async function answer(admitted: Admitted, destination: Destination, options: GatewayOptions): Promise<void> {
  const { request, response, path } = admitted;
  const isPage = destination === "pages" && options.pages;
  const isOwn = destination === "health" || destination === "icon";
  const isForPerson = wantsHtml(request) && options.pages;
  if (!isPage && !isOwn && !isForPerson && options.api) {
    request.url = unknownPath;
    options.api(request, response);
    return;
  }
  measure(admitted, options.app);
  request.headers["x-gangway-own-request"] = mark;
  try {
    if (!(await options.isWithinRate(admitted.clientAddress))) {
      response.setHeader("retry-after", "1");
      refuse(request, response, admitted, 429, "Too many requests from your address: please wait a second.");
    } else if (destination === "health") await answerHealth(response, path, options);
    else if (destination === "icon") answerIcon(response, options.app);
    else if (isPage) await showPage(admitted, options);
    else if (!isForPerson) answerText(response, 404, "There is nothing at this address.");
    else if (destination === "api" && options.apiUrl) {
      response.writeHead(303, { location: `${options.apiUrl}${request.url}`, "cache-control": "no-store" }).end();
    } else {
      // Doesn't reveal whether the path exists in the other app.
      request.url = unknownPath;
      await showPage({ ...admitted, path: unknownPath }, options);
    }
  } catch (error) {
    log().error({ error: describeError(error) }, "a page request failed unexpectedly");
    if (response.headersSent) response.destroy();
    else if (wantsHtml(request) && options.pages) answerOutage(response, options.app, 500);
    else answerText(response, 500, "Something went wrong on our side. Please try again in a moment.");
  }
}

function measure({ request, response, path }: Admitted, app: App): void {
  const startedAt = performance.now();
  const meter = requestMeter({ ...pageRouteOf(app, path), method: request.method ?? "" });
  response.once("close", () => {
    meter.observe(response.headersSent ? response.statusCode : 0, performance.now() - startedAt);
  });
}
