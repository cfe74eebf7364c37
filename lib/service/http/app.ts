import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { OutcomeUnknownError } from "../../kit/transaction.ts";
import { answerMetrics } from "./answer-metrics.ts";
import { moneyRoutes } from "./api/money-routes.ts";
import { peopleRoutes } from "./api/people-routes.ts";
import { tokenRoutes } from "./api/token-routes.ts";
import { type AnsweredRequest, answerRequest } from "./frame/answer-request.ts";
import type { Route } from "./frame/define-route.ts";
import { refuse } from "./frame/refusal.ts";
import { serveReference } from "./openapi/serve-reference.ts";

/** Routes beyond those of every service, and who watches a route being answered. */
export type ApiExtension = {
  routes: readonly Route[];
  observerOf: (route: Route) => ((answered: AnsweredRequest) => void) | undefined;
};

/** The service's API, every route of it; the sandbox's come as an extension, where the process is one (Decision D16). */
export function createServiceApi(extension?: ApiExtension): Hono {
  const routes = [...peopleRoutes, ...tokenRoutes, ...moneyRoutes, ...(extension?.routes ?? [])];
  const app = new Hono();
  app.onError(answerNothing);
  for (const route of routes) {
    const observe = extension?.observerOf(route);
    app.on(route.method, route.path, (context) => route.answer(context.req.raw, context.req.param(), observe));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(path, (context) => refuseMethod(context.req.raw, routesAt(routes, path)));
  }
  serveReference(app, routes);
  app.get("/metrics", (context) => answerMetrics(context.req.raw));
  app.notFound((context) => answerRequest(context.req.raw, {}, async () => refuse("not_found")));
  return app;
}

// Nobody knows whether it happened, so nothing may be said of it: the connection ends without an answer.
function answerNothing(error: Error, { env }: Context): Response {
  const { outgoing } = env as Partial<HttpBindings>;
  if (!(error instanceof OutcomeUnknownError) || !outgoing) throw error;
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

function routesAt(routes: readonly Route[], path: string): Route[] {
  return routes.filter((route) => route.path === path);
}

function refuseMethod(request: Request, here: Route[]): Promise<Response> {
  const allow = here.map(({ method }) => method).join(", ");
  const isOAuth = here.some((route) => route.isOAuth);
  return answerRequest(request, { isOAuth }, async () =>
    refuse("method_not_allowed", { detail: `Only ${allow} is allowed here.`, headers: { allow } }),
  );
}
