import { Hono } from "hono";
import { serviceConfig } from "../config.ts";
import { answerRequest } from "./answer-request.ts";
import type { Route } from "./define-route.ts";
import { refuse, refuseNotFound } from "./define-route.ts";
import { moneyRoutes } from "./money-routes.ts";
import { peopleRoutes } from "./people-routes.ts";
import { tokenRoutes } from "./token-routes.ts";

/** The service's API, every route of it. The sandbox's routes are not even loaded outside a sandbox (Decision D16). */
export async function createServiceApi(): Promise<Hono> {
  const routes = [...peopleRoutes, ...tokenRoutes, ...moneyRoutes, ...(await loadSandboxRoutes())];
  const app = new Hono();
  for (const { method, path, answer } of routes) {
    app.on(method, path, (context) => answer(context.req.raw, context.req.param()));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(path, (context) => refuseMethod(context.req.raw, routesAt(routes, path)));
  }
  app.notFound((context) => answerRequest(context.req.raw, {}, async () => refuseNotFound()));
  return app;
}

async function loadSandboxRoutes(): Promise<readonly Route[]> {
  if (serviceConfig().mode !== "sandbox") return [];
  const { sandboxRoutes } = await import("./sandbox-routes.ts");
  return sandboxRoutes;
}

function routesAt(routes: readonly Route[], path: string): Route[] {
  return routes.filter((route) => route.path === path);
}

function refuseMethod(request: Request, here: Route[]): Promise<Response> {
  const allow = here.map(({ method }) => method).join(", ");
  const isOAuth = here.some((route) => route.isOAuth);
  return answerRequest(request, { isOAuth }, async () => ({
    ...refuse("method_not_allowed", `Only ${allow} is allowed here.`),
    headers: { allow },
  }));
}
