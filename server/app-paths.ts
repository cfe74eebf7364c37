export type App = "partner" | "service";

// The first path segment decides. Each page or route under app/ must be listed here too, or the gateway answers 404.
const partnerPages = ["", "sign-up", "sign-in", "onboarding", "callback", "dashboard", "business", "routines"];
const partnerRoutes = ["webhooks", "api", "v1", "live"];
const servicePages = ["login", "console"];
const serviceApi = [
  "",
  "v1",
  "sandbox",
  ".well-known",
  "openapi.json",
  "docs",
  "status",
  "terms",
  "privacy",
  "metrics",
];

/** Where a request goes: to the pages (Next), the API (Hono), what the gateway answers itself, or nowhere. */
export type Destination = "pages" | "api" | "health" | "icon" | "nowhere";

/** Decides by the path alone, before any code of either app runs. An ambiguous path goes nowhere. */
export function destinationOf(app: App, path: string, { isDevelopment = false } = {}): Destination {
  const segments = path.split("/").slice(1);
  const first = segments[0] ?? "";
  if (!path.startsWith("/") || isAmbiguous(path)) return "nowhere";
  if (path === "/healthz" || path === "/readyz") return "health";
  if (path === "/favicon.ico") return "icon";
  if (first === "_next") return isDevelopment || segments[1] === "static" ? "pages" : "nowhere";
  if (isDevelopment && first.startsWith("__nextjs")) return "pages";
  // Brand files lie in public/<app>/.
  if (first === app && segments.length > 1) return "pages";
  if (app === "partner") {
    if (first === "v1" && segments[1] !== "customers") return "nowhere";
    if (first === "api" && segments[1] !== "sandbox") return "nowhere";
    return [...partnerPages, ...partnerRoutes].includes(first) ? "pages" : "nowhere";
  }
  if (servicePages.includes(first)) return "pages";
  return serviceApi.includes(first) ? "api" : "nowhere";
}

// Encoded slashes, dots and letters, doubled slashes: two programs could disagree about which app such a path belongs to.
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
