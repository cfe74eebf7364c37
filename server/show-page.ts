import { randomBytes } from "node:crypto";
import { IncomingMessage, type ServerResponse } from "node:http";
import { limits } from "../lib/contract/limits.ts";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import { answerOutage, answerText, logRefusal, refuse, type Sender, wantsHtml } from "./responses.ts";
import type { App } from "./roles.ts";
import { type ActionsOfPath, actionsOfForm, namedActions } from "./server-actions.ts";

export type Admitted = { request: IncomingMessage; response: ServerResponse; path: string; clientAddress: string };

export type PageOptions = {
  app: App;
  isDevelopment: boolean;
  pages?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Undefined in development, where pages are built on demand. */
  actionsOf?: ActionsOfPath | undefined;
  /** Other origins that forms of the page at this path may redirect to; throws while pages can't be shown. */
  findFormTargets: (path: string) => Promise<string[]>;
};

/** Checks a request for a page, sets its security headers and passes it to Next. */
export async function showPage(admitted: Admitted, options: PageOptions): Promise<void> {
  const { response, path } = admitted;
  const request = await admitToPages(admitted, options.actionsOf);
  if (!request) return;
  const formTargets = await findFormTargets(path, options);
  if (!formTargets) {
    if (wantsHtml(request)) answerOutage(response, options.app, 503);
    else answerText(response, 503, "This page can't be shown right now. Please try again in a moment.");
    return;
  }
  const policy = contentSecurityPolicy(formTargets, options);
  // Next doesn't tell a page its own address, which sign-in must return to.
  request.headers["x-gangway-target"] = request.url;
  // Next takes the nonce for its scripts from the request's own header of this name.
  request.headers["content-security-policy"] = policy;
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  // Under "no-referrer" a browser sends `Origin: null` with a form, which the action handler refuses (Decision D9).
  response.setHeader("referrer-policy", "same-origin");
  sendNoReferrerOnRedirects(response);
  await options.pages?.(request, response);
}

/**
 * The request as Next may see it: a known method, a body within the limit, and only this page's own server actions; undefined
 * if it was refused. Next would read a body of any size, run any page's action, and trust "x-action-forwarded".
 */
async function admitToPages(
  { request, response, path, clientAddress }: Admitted,
  actionsOf: ActionsOfPath | undefined,
): Promise<IncomingMessage | undefined> {
  const sender = { clientAddress };
  if (!["GET", "HEAD", "POST"].includes(request.method ?? "")) {
    response.setHeader("allow", "GET, HEAD, POST");
    return refuse(request, response, sender, 405, "Only GET, HEAD and POST are allowed here.");
  }
  if (request.headers["x-action-forwarded"] !== undefined) {
    return refuse(request, response, sender, 400, "Forwarded server actions are not accepted.");
  }
  if (!holdsActions(path, namedActions(request), actionsOf)) return refuseAction(request, response, sender);
  if (uploadPath.test(path)) return admitUpload(request);
  if (!hasBody(request)) return request;

  const body = await readBodyWithin(request, limits.requestBytesMax);
  if (body === "cut_off") return undefined;
  if (body === "too_large") {
    logRefusal(request, sender, 413);
    refuseBody(request, response, `The body of a request can have at most ${limits.requestBytesMax / 1024} KiB.`);
    return undefined;
  }
  const ids = await actionsOfForm(request, body);
  return holdsActions(path, ids, actionsOf) ? withBody(request, body) : refuseAction(request, response, sender);
}

// Decision D9: the only form with a file. Its handler reads the body itself. One that is too long or has no length is dropped
// here.
const uploadPath = /^\/login\/oauth\/authorize\/[^/]+\/document$/;

function admitUpload(request: IncomingMessage): IncomingMessage {
  const bytes = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY);
  return bytes <= limits.photoIdFormBytesMax ? request : withBody(request, Buffer.alloc(0));
}

function holdsActions(path: string, ids: string[] | undefined, actionsOf: ActionsOfPath | undefined): boolean {
  if (!actionsOf) return true;
  const held = actionsOf(path);
  return ids?.every((id) => held.has(id)) ?? false;
}

// This header makes Next's own script reload a page that is older than the server.
function refuseAction(request: IncomingMessage, response: ServerResponse, sender: Sender): undefined {
  response.setHeader("x-nextjs-action-not-found", "1");
  return refuse(request, response, sender, 404, "This page has no such action. Please load it again.");
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reads a body of at most `bytesMax`, and nothing of one with a larger content-length. */
function readBodyWithin(request: IncomingMessage, bytesMax: number): Promise<Buffer | "too_large" | "cut_off"> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else {
        chunks = [];
        resolve("too_large");
      }
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", () => resolve("cut_off"));
    request.once("close", () => resolve("cut_off"));
  });
}

/** The same request with a body that can be read again. */
function withBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const copy = new IncomingMessage(request.socket);
  Object.assign(copy, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  // Set before the stream ends; otherwise its end would count as a lost connection.
  copy.complete = true;
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}

// Closing the connection at once would lose the answer for a client that is still sending.
const lingerMs = 1000;

/** Answers 413, then discards what arrives in the next second and closes the connection. */
function refuseBody(request: IncomingMessage, response: ServerResponse, sentence: string): void {
  const text = `${sentence}\n`;
  response.writeHead(413, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.write(text);
  const timer = setTimeout(() => response.end(), lingerMs);
  request.resume().once("end", () => response.end());
  response.once("close", () => clearTimeout(timer));
}

async function findFormTargets(path: string, options: PageOptions): Promise<string[] | undefined> {
  try {
    return await options.findFormTargets(path);
  } catch (error) {
    log().error({ error: describeError(error) }, "a page could not be prepared");
    return undefined;
  }
}

/**
 * The policy of one page view, with its own nonce: scripts and styles from our own origin only.
 * @param formTargets other origins that forms may redirect to: Chromium applies form-action to redirects after a POST too
 */
function contentSecurityPolicy(formTargets: readonly string[], { isDevelopment }: PageOptions): string {
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

// A redirect's address holds a session token or a code, which the next site must not see.
function sendNoReferrerOnRedirects(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = function writeHeadWithPolicy(this: ServerResponse, status: number, ...rest: unknown[]) {
    if (status >= 300 && status < 500) this.setHeader("referrer-policy", "no-referrer");
    return Reflect.apply(writeHead, this, [status, ...rest]);
  } as typeof response.writeHead;
}
