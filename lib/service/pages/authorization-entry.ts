import { isDatabaseUnavailable } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { traceIdOf } from "../../kit/trace.ts";
import { type Arrival, openVisit } from "../operations/visits/open-visit.ts";
import { answerRefusalPage } from "./refusal-page.ts";
import { visitCookieHeader, visitPath } from "./visit-cookie.ts";

/**
 * Answers `GET /login/oauth/authorize`: 303 to the visit's clean URL, 303 back to the client, or an error page: 400, or
 * 503 while the database is down. HEAD and prefetches open nothing. Decision D9
 */
export async function answerAuthorizationRequest(request: Request): Promise<Response> {
  if (request.method === "HEAD") return new Response(null, { status: 204, headers: entryHeaders });
  // A 503 makes the browser discard the prefetch and request the page again on navigation.
  if (isPrefetch(request.headers)) return new Response(null, { status: 503, headers: entryHeaders });
  const traceId = traceIdOf(request.headers.get("traceparent"));
  let arrival: Arrival;
  try {
    arrival = await openVisit(new URL(request.url).searchParams, { traceId });
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    log().warn({ traceId, error: describeError(error) }, "an authorization request could not be answered");
    return answerOutage(request.headers);
  }
  if (arrival.kind === "unusable_session_token") {
    const { clientId, cause } = arrival;
    // The page gives the same explanation for every cause.
    log().info({ traceId, clientId, cause }, "a session token was refused");
  }
  return present(arrival, request.headers);
}

// The browser reloads it, because a session token lives only a minute.
function answerOutage(requestHeaders: Headers): Response {
  const content = {
    title: "We can’t show this page right now",
    paragraphs: [`We’ll try again every ${retrySeconds} seconds. You don’t need to do anything.`],
  };
  const headers = { "retry-after": retrySeconds, refresh: retrySeconds };
  return answerRefusalPage(requestHeaders, content, { status: 503, headers });
}

const retrySeconds = "5";

function present(arrival: Arrival, requestHeaders: Headers): Response {
  switch (arrival.kind) {
    case "opened": {
      const cookie = visitCookieHeader(arrival.visitId, arrival.visitSecret);
      return seeOther(visitPath(arrival.visitId), { "set-cookie": cookie });
    }
    case "sent_back":
      return seeOther(arrival.returnTo);
    case "unusable_session_token":
      return answerRefusalPage(requestHeaders, {
        title: "This link has been used or has expired",
        paragraphs: [
          `For your safety, a link from ${arrival.clientName} to this page works once and only for a minute.`,
          `Go back to ${arrival.clientName} and start again from there. Opening this link just now changed nothing.`,
        ],
        wayBack: { href: arrival.returnTo, label: `Return to ${arrival.clientName}` },
      });
    case "refused":
      return answerRefusalPage(requestHeaders, {
        title: "We cannot open this page",
        paragraphs: [
          refusedBecause[arrival.problem],
          "Nothing has been authorized. Close this page, or go back to where you came from.",
        ],
      });
  }
}

// For the client's engineers: only they can cause and fix this.
const refusedBecause = {
  client_id: "The link that brought you here is for an application we don’t know (client_id).",
  redirect_uri: "The link that brought you here would return you to an address that is not registered (redirect_uri).",
} as const;

const entryHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" } as const;

function seeOther(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { ...entryHeaders, ...headers, location } });
}

function isPrefetch(headers: Headers): boolean {
  const purposes = [headers.get("sec-purpose"), headers.get("purpose"), headers.get("x-moz")];
  return purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose ?? ""));
}
