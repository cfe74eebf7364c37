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

  app.get("/openapi.json", ({ req }) =>
    answerRequest(req.raw, { operation: "readOpenApiDocument" }, async () => ({ status: 200, bodyText: document() })),
  );
  app.get("/docs", ({ req }) =>
    answerRequest(req.raw, { operation: "readReference" }, async () => {
      const nonce = randomBytes(16).toString("base64");
      return { status: 200, bodyText: page(nonce), headers: pageHeaders(nonce) };
    }),
  );
  for (const { path, operation, file, type } of files) {
    const text = memoize(() => readFileSync(fileURLToPath(import.meta.resolve(file)), "utf8"));
    app.get(path, ({ req }) =>
      answerRequest(req.raw, { operation }, async () => ({
        status: 200,
        bodyText: text(),
        headers: { "content-type": `${type}; charset=utf-8` },
      })),
    );
  }
}

const files = [
  {
    path: "/docs/reference.js",
    operation: "readReferenceScript",
    file: "swagger-ui-dist/swagger-ui-bundle.js",
    type: "text/javascript",
  },
  {
    path: "/docs/reference.css",
    operation: "readReferenceStyles",
    file: "swagger-ui-dist/swagger-ui.css",
    type: "text/css",
  },
];

// Nobody's secret belongs in a browser, so the reference shows calls and makes none, and asks for no credentials.
const script = `
const nothing = () => null;
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  filter: true,
  supportedSubmitMethods: [],
  plugins: [{ wrapComponents: { authorizeBtn: () => nothing, authorizeOperationBtn: () => nothing } }],
});`;

function page(nonce: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Plainbook API reference</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="/service/icon.svg">
    <link rel="stylesheet" href="/docs/reference.css">
  </head>
  <body>
    <main id="reference"></main>
    <noscript>This reference is drawn by a script. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script nonce="${nonce}" src="/docs/reference.js"></script>
    <script nonce="${nonce}">${script}</script>
  </body>
</html>
`;
}

function pageHeaders(nonce: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "content-security-policy": [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  };
}
