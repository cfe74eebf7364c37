import type { ListenerName } from "../lib/kit/request-meter.ts";
import type { App } from "./roles.ts";

// Templates of the pages and routes under app/, for the gateway and metrics; a test compares them with the files.
const templates: Record<App, readonly string[]> = {
  partner: [
    "/",
    "/api/sandbox/bar",
    "/api/sandbox/inspector",
    "/api/sandbox/messages",
    "/business",
    "/business/state",
    "/callback",
    "/callback/problem",
    "/dashboard",
    "/dashboard/payments",
    "/dashboard/payments/state",
    "/dashboard/payments/statement",
    "/dashboard/payments/statement/file",
    "/dashboard/payments/{id}",
    "/dashboard/payments/{id}/state",
    "/dashboard/state",
    "/live",
    "/onboarding",
    "/onboarding/status",
    "/onboarding/status/state",
    "/partner/manifest.webmanifest",
    "/routines",
    "/routines/batch",
    "/routines/batch/{id}",
    "/routines/batch/{id}/state",
    "/routines/new",
    "/routines/state",
    "/routines/{id}",
    "/routines/{id}/resolve",
    "/routines/{id}/state",
    "/sign-in",
    "/sign-in/code",
    "/sign-up",
    "/v1/customers/{customer_id}",
    "/webhooks",
  ],
  service: [
    "/console",
    "/console/calls",
    "/console/checks",
    "/console/clock",
    "/console/drills",
    "/console/drills/{drill}",
    "/console/events",
    "/console/events/stream",
    "/console/faults",
    "/console/keys",
    "/console/money",
    "/console/palette",
    "/console/people",
    "/console/requests",
    "/console/session",
    "/console/settings",
    "/console/sign-in",
    "/console/sign-out",
    "/console/tokens",
    "/console/webhooks",
    "/login/oauth/authorize",
    "/login/oauth/authorize/{visit}",
    "/login/oauth/authorize/{visit}/document",
    "/login/oauth/authorize/{visit}/messages",
    "/login/oauth/authorize/{visit}/sandbox",
  ],
};

/** Whether an app has pages or routes whose path begins with this segment. */
export function hasPagesUnder(app: App, segment: string): boolean {
  return templates[app].some((template) => template === `/${segment}` || template.startsWith(`/${segment}/`));
}

/** The template of a page's path, the first of its segments for a file, or `none`. Literal segments win. */
export function pageRouteOf(app: App, path: string): { listener: ListenerName; route: string } {
  const listener = app === "partner" ? "harbor" : path.startsWith("/console") ? "console" : "authorization";
  if (templates[app].includes(path)) return { listener, route: path };
  const segments = path.split("/");
  const route = templates[app].find((template) => {
    const parts = template.split("/");
    return parts.length === segments.length && parts.every((part, at) => part === segments[at] || part.startsWith("{"));
  });
  if (route !== undefined) return { listener, route };
  const isFile = segments[1] === "_next" || segments[1] === app;
  if (isFile || path === "/healthz" || path === "/readyz" || path === "/favicon.ico") {
    return { listener, route: `/${segments[1]}` };
  }
  return { listener, route: "none" };
}
