import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Hono } from "hono";
import { memoize } from "../../../kit/memoize.ts";
import { serviceConfig } from "../../config.ts";
import { answerRequest } from "../answer-request.ts";
import type { DocumentedRoute } from "../route-documentation.ts";
import { buildOpenApiDocument } from "./build-document.ts";

/** Serves the document at `/openapi.json`, and the reference for people at `/docs`: our origin only, no third party. */
export function serveReference(app: Hono, routes: readonly DocumentedRoute[]): void {
  const document = memoize(() => JSON.stringify(buildOpenApiDocument(routes, serviceConfig())));
  const script = memoize(() => readFileSync(fileURLToPath(import.meta.resolve(scriptModule)), "utf8"));

  app.get("/openapi.json", ({ req }) =>
    answerRequest(req.raw, { operation: "readOpenApiDocument" }, async () => ({ status: 200, bodyText: document() })),
  );
  app.get("/docs", ({ req }) =>
    answerRequest(req.raw, { operation: "readReference" }, async () => {
      const nonce = randomBytes(16).toString("base64");
      return { status: 200, bodyText: page(nonce), headers: pageHeaders(nonce) };
    }),
  );
  app.get("/docs/reference.js", ({ req }) =>
    answerRequest(req.raw, { operation: "readReferenceScript" }, async () => ({
      status: 200,
      bodyText: script(),
      headers: { "content-type": "text/javascript; charset=utf-8" },
    })),
  );
}

const scriptModule = "@scalar/api-reference/browser/standalone.js";

// Nobody's secret belongs in a browser, so the reference shows calls and makes none; its fonts are the reader's own.
const settings = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  hideTestRequestButton: true,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
};

function page(nonce: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Plainbook API reference</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="/service/icon.svg">
  </head>
  <body>
    <main id="reference"></main>
    <noscript>This reference is drawn by a script. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script nonce="${nonce}" src="/docs/reference.js"></script>
    <script nonce="${nonce}">Scalar.createApiReference("#reference", ${JSON.stringify(settings)});</script>
  </body>
</html>
`;
}

function pageHeaders(nonce: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    // The reference writes style elements and attributes at run time: inline styles are allowed on this page alone.
    "content-security-policy": [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  };
}
