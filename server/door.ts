import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import { contentSecurityPolicy } from "./content-security-policy.ts";
import { destinationOf, type House } from "./house-paths.ts";

export type DoorOptions = {
  house: House;
  /** The door's own address; a request for another host is turned away. */
  origin: string;
  isDevelopment: boolean;
  /** False while the process stops: then readiness fails and every answer asks for its connection to be closed. */
  isOpen: () => boolean;
  /** Whether what stands behind the door can answer now. */
  isReady: () => Promise<boolean>;
  pages?: RequestListener;
  api?: RequestListener;
  /** Further origins that the forms of the page at this path may lead to. */
  findFormTargets: (path: string) => Promise<string[]>;
};

/**
 * Answers for one origin. Only its own house's paths get in, under its own name; headers that only a proxy or we ourselves
 * may set are dropped first, so that what stands behind can trust them.
 */
export function createDoor(options: DoorOptions): RequestListener {
  const { host, protocol } = new URL(options.origin);
  return (request, response) => {
    if (!options.isOpen()) response.setHeader("connection", "close");
    if (request.headers.host !== host) {
      answerPlainly(response, 421, "This address does not answer for that host.");
      return;
    }
    dropForeignHeaders(request);
    request.headers["x-gangway-house"] = options.house;
    request.headers["x-gangway-client-address"] = request.socket.remoteAddress ?? "";
    if (protocol === "https:") response.setHeader("strict-transport-security", "max-age=63072000; includeSubDomains");

    const path = (request.url ?? "").split("?")[0] ?? "";
    const destination = destinationOf(options.house, path, options);
    if (destination === "health") void showHealth(path, response, options);
    else if (destination === "api" && options.api) options.api(request, response);
    else if (destination === "pages" && options.pages) void showPage(request, response, path, options);
    else showNothing(request, response, options);
  };
}

// Alive is whoever answers at all. A balancer asks the second question, and sends nobody here while the answer is no.
async function showHealth(path: string, response: ServerResponse, { isOpen, isReady }: DoorOptions): Promise<void> {
  if (path === "/healthz") answerPlainly(response, 200, "alive");
  else if (!isOpen()) answerPlainly(response, 503, "stopping");
  else if (await isReady()) answerPlainly(response, 200, "ready");
  else answerPlainly(response, 503, "not ready");
}

async function showPage(request: IncomingMessage, response: ServerResponse, path: string, options: DoorOptions) {
  const formTargets = await findFormTargets(path, options);
  if (!formTargets) {
    answerPlainly(response, 503, "This page cannot be shown just now. Please try again in a moment.");
    return;
  }
  const policy = contentSecurityPolicy(formTargets, options);
  // Next takes the nonce for its scripts from the request's own header of this name.
  request.headers["content-security-policy"] = policy;
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  // Under "no-referrer" a browser sends `Origin: null` with a form, which the action handler refuses (Decision D9).
  response.setHeader("referrer-policy", "same-origin");
  tellNoReferrerOnRedirects(response);
  options.pages?.(request, response);
}

async function findFormTargets(path: string, options: DoorOptions): Promise<string[] | undefined> {
  try {
    return await options.findFormTargets(path);
  } catch (error) {
    log().error({ error: describeError(error) }, "a page could not be prepared");
    return undefined;
  }
}

// What a redirect or an entry was asked for with (a session token, a code) is nobody's business at the next address.
function tellNoReferrerOnRedirects(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = function writeHeadWithPolicy(this: ServerResponse, status: number, ...rest: unknown[]) {
    if (status >= 300 && status < 500) this.setHeader("referrer-policy", "no-referrer");
    return Reflect.apply(writeHead, this, [status, ...rest]);
  } as typeof response.writeHead;
}

// A person gets the plot's one "not found" page, a program the API's. Neither is told whether the path exists elsewhere.
function showNothing(request: IncomingMessage, response: ServerResponse, options: DoorOptions): void {
  const isPerson = request.headers.accept?.includes("text/html") ?? false;
  if (isPerson && options.pages && request.method === "GET") {
    request.url = "/nowhere";
    void showPage(request, response, "/nowhere", options);
  } else if (options.api) {
    options.api(request, response);
  } else {
    answerPlainly(response, 404, "There is nothing at this address.");
  }
}

function answerPlainly(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(`${sentence}\n`);
}

// Decision D1: forwarding headers come from a trusted proxy or not at all; x-middleware-* skipped checks once (CVE-2025-29927).
function dropForeignHeaders({ headers }: IncomingMessage): void {
  for (const name of Object.keys(headers)) {
    if (/^(?:forwarded|x-forwarded-.*|x-real-ip|x-gangway-.*|x-middleware-.*|x-invoke-.*|x-matched-path)$/.test(name)) {
      delete headers[name];
    }
  }
  delete headers["content-security-policy"];
}
