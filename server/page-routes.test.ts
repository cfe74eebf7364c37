import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { pageRouteOf } from "./page-routes.ts";

const files = readdirSync("app", { recursive: true, encoding: "utf8" });
const pages = files.filter((file) => /\/(?:page\.tsx|route\.ts)$|^\((?:partner|service)\)\/page\.tsx$/.test(file));

test.each(pages)("app/%s is counted under its own template, and no id becomes a label", (file) => {
  const app = file.startsWith("(partner)") ? "partner" : "service";
  const template = `/${file.split("/").slice(1, -1).join("/")}`.replace(/\[(\w+)\]/g, "{$1}");
  expect(pageRouteOf(app, template.replace(/\{\w+\}/g, "0198c0de-0000-7000-8000-000000000000")).route).toBe(template);
});

test.each([
  ["partner", "/routines/7/unknown", "harbor", "none"],
  ["partner", "/_next/static/chunks/a.js", "harbor", "/_next"],
  ["partner", "/partner/icon.svg", "harbor", "/partner"],
  ["partner", "/readyz", "harbor", "/readyz"],
  ["service", "/console/people", "console", "/console/people"],
  ["service", "/login/oauth/authorize", "authorization", "/login/oauth/authorize"],
  ["service", "/login/oauth/authorize/1/2/3", "authorization", "none"],
] as const)("%s %s belongs to listener %s, route %s", (app, path, listener, route) => {
  expect(pageRouteOf(app, path)).toEqual({ listener, route });
});
