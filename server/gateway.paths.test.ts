import { describe, expect, test } from "vitest";
import { destinationOf } from "./gateway.ts";

describe("each gateway admits only its own app's paths", () => {
  test.each([
    ["partner", "/", "pages"],
    ["partner", "/dashboard", "pages"],
    ["partner", "/routines/0198c0de", "pages"],
    ["partner", "/v1/customers/42", "pages"],
    ["partner", "/webhooks", "pages"],
    ["partner", "/api/sandbox/bar", "pages"],
    ["partner", "/_next/static/chunks/a.js", "pages"],
    ["service", "/login/oauth/authorize", "pages"],
    ["service", "/_next/static/chunks/a.js", "pages"],
    ["partner", "/healthz", "health"],
    ["partner", "/readyz", "health"],
    ["service", "/healthz", "health"],
    ["service", "/readyz", "health"],
    ["service", "/", "api"],
    ["service", "/status", "api"],
    ["service", "/terms", "api"],
    ["service", "/privacy", "api"],
    ["service", "/metrics", "api"],
    ["service", "/favicon.ico", "icon"],
    ["partner", "/favicon.ico", "icon"],
    ["service", "/v1/user", "api"],
    ["service", "/.well-known/oauth-authorization-server", "api"],
    ["service", "/sandbox/clients", "api"],
  ] as const)("%s %s -> %s", (app, path, destination) => {
    expect(destinationOf(app, path)).toBe(destination);
  });

  test.each([
    ["partner", "/login/oauth/authorize"],
    ["partner", "/v1/user"],
    ["partner", "/v1"],
    ["partner", "/sandbox/clients"],
    ["partner", "/healthz/more"],
    ["partner", "/metrics"],
    ["partner", "/status"],
    ["partner", "/terms"],
    ["partner", "/favicon.ico/more"],
    ["partner", "/api/auth/_log"],
    ["partner", "/api/auth/session"],
    ["partner", "/api/auth/signout"],
    ["service", "/readyz/"],
    ["service", "/dashboard"],
    ["service", "/api/auth/session"],
    ["service", "/callback"],
    ["service", "/webhooks"],
    ["service", "/sign-in"],
  ] as const)("%s %s is served at neither gateway", (app, path) => {
    expect(destinationOf(app, path)).toBe("nowhere");
  });

  test.each([
    "//login/oauth/authorize",
    "/_next/../login/oauth/authorize",
    "/dashboard/../login",
    "/dashboard/%2e%2e/login",
    "/dashboard/%2E%2E/login",
    "/dashboard/..%2flogin",
    "/dashboard\\..\\login",
    "/%6cogin/oauth/authorize",
    "/_next/image?url=/dashboard",
    "/_next/data/build/dashboard.json",
    "/dashboard.rsc",
    "/routines/%zz",
    "/routines/%E0%A4%A",
    "dashboard",
    "http://127.0.0.1:4000/login",
  ])("the ambiguous path %s is served at neither gateway", (path) => {
    expect(destinationOf("partner", path.split("?")[0] ?? "")).toBe("nowhere");
    expect(destinationOf("service", path.split("?")[0] ?? "")).toBe("nowhere");
  });
});
