import type { IncomingMessage } from "node:http";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { limits as serviceLimits } from "../../lib/contract/limits.ts";
import { describeError } from "../../lib/kit/describe-error.ts";
import { isId } from "../../lib/kit/ids.ts";
import { log } from "../../lib/kit/log.ts";
import { clientNetwork } from "../../lib/kit/networks.ts";
import type { Partner } from "../../lib/partner/partner.ts";
import type { Destination, Guard } from "../gateway.ts";
import { answerText } from "../responses.ts";
import type { App } from "../roles.ts";
import type { Admitted } from "../show-page.ts";
import type { PublicLimits } from "./limits.ts";
import { answerRefusal } from "./refusal-page.ts";
import { findClientOfVisit } from "./service-clients.ts";
import { isWithinRate, type Visitor, type Visitors } from "./visitors.ts";

/** Tells pages that they belong to a public sandbox. The gateway drops it from every incoming request. */
const banner = "x-gangway-public-sandbox";

export type GuardsOptions = {
  visitors: Visitors;
  limits: PublicLimits;
  isSecure: boolean;
  /** Runs a request with this visitor's Harbor. */
  within: (partner: Partner, serve: () => void) => void;
};

export function createGuards(options: GuardsOptions): Record<App, Guard> {
  return {
    partner: stopErrors("partner", guardHarbor(options)),
    service: stopErrors("service", guardPlainbook(options)),
  };
}

type AsyncGuard = (admitted: Admitted, destination: Destination, serve: () => void) => Promise<void>;

function stopErrors(app: App, guard: AsyncGuard): Guard {
  return (admitted, destination, serve) => {
    guard(admitted, destination, serve).catch((error: unknown) => {
      log().error({ error: describeError(error) }, "a visitor's request failed unexpectedly");
      if (admitted.response.headersSent) admitted.response.destroy();
      else answerRefusal(app, admitted, "broken");
    });
  };
}

/** Harbor: each request belongs to the sandbox that its cookie names. A visitor's first page creates one. */
function guardHarbor({ visitors, limits, isSecure, within }: GuardsOptions): AsyncGuard {
  const cookie = isSecure ? "__Host-gangway-visitor" : "gangway-visitor";
  return async (admitted, destination, serve) => {
    const { request, response, path, clientAddress } = admitted;
    if (destination === "health" || destination === "icon" || isFile("partner", path)) return serve();
    // The service calls these on loopback (hooks.ts).
    if (/^\/(?:webhooks|v1)(?:\/|$)/.test(path)) return answerText(response, 404, "There is nothing at this address.");
    const known = visitors.find(cookieOf(request, cookie) ?? "");
    if (known) return serveVisitor("partner", known, admitted, { visitors, serve: () => within(known.partner, serve) });
    if (destination !== "pages") return answerText(response, 404, "There is nothing at this address.");
    if (!isNavigation(request))
      return answerRefusal("partner", admitted, request.method === "POST" ? "over" : "no_browser");
    const welcome = await visitors.welcome(clientAddress);
    if (welcome.kind !== "welcome") return answerRefusal("partner", admitted, welcome.kind);
    const { visitor, token } = welcome;
    // Without its cookie, the sandbox could never be opened.
    if (response.closed) return visitors.end(visitor);
    const attributes = `Path=/; Max-Age=${limits.lifetimeMs / 1000}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
    response.appendHeader("set-cookie", `${cookie}=${token}; ${attributes}`);
    return serveVisitor("partner", visitor, admitted, { visitors, serve: () => within(visitor.partner, serve) });
  };
}

// What the authorization pages link to, with its styles, script and fonts. The rest of the service's site describes an API and
// a console that aren't public.
const linkedByPages = /^\/(?:terms|privacy|docs\/[\w-]+\.\w+\.(?:css|js|woff2))$/;

/** Plainbook: the authorization pages, whose visits belong to a visitor's client. */
function guardPlainbook({ visitors, limits }: GuardsOptions): AsyncGuard {
  const perAddress = new RateLimiterMemory({ points: limits.pagesOfAddressMax, duration: 10 });
  return async (admitted, destination, serve) => {
    const { request, path, clientAddress } = admitted;
    if (destination === "health" || destination === "icon" || isFile("service", path)) return serve();
    if (!(await isWithinRate(perAddress, clientNetwork(clientAddress)))) {
      return answerRefusal("service", admitted, "too_fast");
    }
    if (linkedByPages.test(path) && ["GET", "HEAD"].includes(request.method ?? "")) return serve();
    if (destination !== "pages" || /^\/console(?:\/|$)/.test(path)) {
      return answerRefusal("service", admitted, "left_out");
    }
    // PostgreSQL accepts capitals in ids too.
    const [, visitId = ""] = /^\/login\/oauth\/authorize\/([^/]+)/.exec(path.toLowerCase()) ?? [];
    if (!isId(visitId)) return serveWithBanner(request, serve);
    const clientId = await findClientOfVisit(visitId);
    const visitor = clientId === undefined ? undefined : visitors.findByClient(clientId);
    if (!visitor) return answerRefusal("service", admitted, "over");
    return serveVisitor("service", visitor, admitted, { visitors, serve });
  };
}

async function serveVisitor(
  app: App,
  visitor: Visitor,
  admitted: Admitted,
  { visitors, serve }: { visitors: Visitors; serve: () => void },
): Promise<void> {
  const { request, response } = admitted;
  const admission = await visitors.admit(visitor, bytesOf(request));
  if (admission !== "admitted") return answerRefusal(app, admitted, admission);
  // "close" doesn't come again.
  if (response.closed) return;
  visitors.wake(visitor, request.method === "POST");
  visitor.inFlight += 1;
  response.once("close", () => {
    visitor.inFlight -= 1;
    visitors.wake(visitor, false);
  });
  serveWithBanner(request, serve);
}

function serveWithBanner(request: IncomingMessage, serve: () => void): void {
  request.headers[banner] = "on";
  serve();
}

// A body of unknown length counts as the longest that pages accept.
function bytesOf({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return serviceLimits.requestBytesMax;
  return Number(headers["content-length"] ?? 0);
}

function isFile(app: App, path: string): boolean {
  return path.startsWith("/_next/static/") || path.startsWith(`/${app}/`);
}

/** Whether a browser opens a page. Search engines, link previews and programs get no sandbox. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  const isPrefetch = headers["sec-purpose"] !== undefined || headers["purpose"] === "prefetch";
  return method === "GET" && headers["sec-fetch-dest"] === "document" && !isPrefetch;
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split("; ");
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
