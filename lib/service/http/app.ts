import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { OutcomeUnknownError } from "../../kit/transaction.ts";
import { serviceConfig } from "../config.ts";
import { readMetrics } from "../operations/read-metrics.ts";
import { receiveCallback } from "../operations/receive-callback.ts";
import { moneyRoutes } from "./api/money-routes.ts";
import { peopleRoutes } from "./api/people-routes.ts";
import { tokenRoutes } from "./api/token-routes.ts";
import { answerRequest, ConnectionDroppedError, type RequestHook } from "./frame/answer-request.ts";
import type { Route } from "./frame/define-route.ts";
import { readBytes } from "./frame/read-request.ts";
import { refuse } from "./frame/refusal.ts";
import { buildOperatorDocument } from "./openapi/build-document.ts";
import { operatorRoutes } from "./operator/client-routes.ts";
import { type SandboxSite, serveSite } from "./site/serve-site.ts";

export type ApiExtension = {
  routes: readonly Route[];
  site: SandboxSite;
  hookFor: (route: Route) => (() => RequestHook) | undefined;
};

export function createServiceApi(extension?: ApiExtension): Hono {
  const routes = [...peopleRoutes, ...tokenRoutes, ...moneyRoutes, ...(extension?.routes ?? [])];
  const app = serveRoutes(routes, { listener: "api", hookFor: extension?.hookFor });
  serveSite(app, routes, extension?.site);
  app.get("/metrics", (context) => answerMetrics(context.req.raw));
  return app;
}

/** The API of the operator's listener (Decision D23), including the callbacks from providers (Decision D24). */
export function createOperatorApi(): Hono {
  const app = serveRoutes(operatorRoutes, { listener: "operator" });
  app.post("/callbacks/:provider", ({ req }) => answerCallback(req.raw, req.param("provider")));
  app.get("/openapi.json", ({ req }) =>
    answerRequest(
      req.raw,
      { operation: "readOperatorDocument", listener: "operator", route: "/openapi.json" },
      async () => ({
        status: 200,
        body: buildOperatorDocument(operatorRoutes, serviceConfig()),
      }),
    ),
  );
  return app;
}

// A provider's results. Its module verifies the sender, so we require no token of our own. Decision D24
function answerCallback(request: Request, provider: string): Promise<Response> {
  const answering = { operation: "receiveCallback", listener: "operator", route: "/callbacks/{provider}" } as const;
  return answerRequest(request, answering, async () => {
    const { headers } = request;
    const outcome = await receiveCallback(provider, { headers, body: await readBytes(request) });
    switch (outcome) {
      case "received":
        return { status: 204, body: undefined };
      case "not_found":
        return refuse("not_found");
      case "foreign":
        return refuse("invalid_token", { cause: "callback_not_authentic" });
      case "unreadable":
        return refuse("unavailable", { cause: "callback_unreadable" });
      case "failed":
        return refuse("unavailable", { cause: "callback_not_applied" });
    }
  });
}

type ListenerOptions = { listener: "api" | "operator"; hookFor?: ApiExtension["hookFor"] | undefined };

function serveRoutes(routes: readonly Route[], { listener, hookFor }: ListenerOptions): Hono {
  const app = new Hono();
  app.onError(closeUnanswered);
  for (const route of routes) {
    const newHook = hookFor?.(route);
    app.on(route.method, route.path, ({ req }) => route.answer(req.raw, req.param(), newHook?.()));
  }
  // A separate app, so that every request has exactly one handler and Hono skips its middleware composition.
  const misses = answerMisses(routes, listener);
  app.notFound(({ req, env }) => misses.fetch(req.raw, env));
  return app;
}

// 405 for the wrong method at one of our paths, 404 for any other path.
function answerMisses(routes: readonly Route[], listener: ListenerOptions["listener"]): Hono {
  const app = new Hono();
  for (const [path, here] of Map.groupBy(routes, (route) => route.path)) {
    const allow = here.map(({ method }) => method).join(", ");
    const isOAuth = here.some((route) => route.isOAuth);
    const refusal = refuse("method_not_allowed", { detail: `Only ${allow} is allowed here.`, headers: { allow } });
    app.all(path, ({ req }) => answerRequest(req.raw, { isOAuth, listener }, async () => refusal));
  }
  app.notFound(({ req }) => answerRequest(req.raw, { listener }, async () => refuse("not_found")));
  return app;
}

// Closes the connection without an answer: the outcome is unknown, or a hook dropped the request.
function closeUnanswered(error: Error, { env }: Context): Response {
  // Undefined without a connection (in a test).
  const outgoing = (env as Partial<HttpBindings> | undefined)?.outgoing;
  const isUnanswered = error instanceof OutcomeUnknownError || error instanceof ConnectionDroppedError;
  if (!isUnanswered || !outgoing) throw error;
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

// For the operator's scraper; not part of the API.
function answerMetrics(request: Request): Promise<Response> {
  return answerRequest(request, { operation: "readMetrics", route: "/metrics" }, async () => {
    const { contentType, text } = await readMetrics();
    return { status: 200, bodyText: text, headers: { "content-type": contentType } };
  });
}
