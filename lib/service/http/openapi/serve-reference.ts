import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as zlibGzip } from "node:zlib";
import type { Hono } from "hono";
import { memoize } from "../../../kit/memoize.ts";
import { serviceConfig } from "../../config.ts";
import { answerRequest, type Reply } from "../frame/answer-request.ts";
import { refuse } from "../frame/refusal.ts";
import type { DocumentedRoute } from "../frame/route-documentation.ts";
import { buildOpenApiDocument } from "./build-document.ts";

/** Serves the document at `/openapi.json`, and the reference for people at `/docs`: our origin only, no third party. */
export function serveReference(app: Hono, routes: readonly DocumentedRoute[]): void {
  const document = memoize(() => encode(JSON.stringify(buildOpenApiDocument(routes, serviceConfig()))));
  const files = memoize(() => ({ script: loadFile(scriptFile), styles: loadFile(stylesFile) }));

  app.get("/openapi.json", ({ req }) =>
    answerRequest(req.raw, { operation: "readOpenApiDocument" }, async () => ({
      status: 200,
      bytes: document(),
      headers: { "content-type": "application/json" },
    })),
  );
  app.get("/docs", ({ req }) =>
    answerRequest(req.raw, { operation: "readReference" }, async () => {
      const nonce = randomBytes(16).toString("base64");
      return { status: 200, bodyText: page(nonce, files()), headers: pageHeaders(nonce) };
    }),
  );
  app.get("/docs/:file", ({ req }) =>
    answerRequest(req.raw, { operation: "readReferenceFile" }, async () => {
      const file = Object.values(files()).find(({ path }) => path === req.path);
      return file ? replyWith(file, req.header("accept-encoding") ?? "") : refuse("not_found");
    }),
  );
}

type Bytes = Uint8Array<ArrayBuffer>;
type ReferenceFile = ReturnType<typeof loadFile>;

const scriptFile = { module: "swagger-ui-dist/swagger-ui-bundle.js", extension: "js", type: "text/javascript" };
const stylesFile = { module: "swagger-ui-dist/swagger-ui.css", extension: "css", type: "text/css" };
const encodings = ["br", "gzip"] as const;

// One copy of each form for all readers, compressed once, off the main thread, when the first of them asks. Brotli's higher
// qualities take seconds and save a tenth.
function loadFile({ module, extension, type }: { module: string; extension: string; type: string }) {
  const content = readFileSync(fileURLToPath(import.meta.resolve(module)));
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const plain: Bytes = new Uint8Array(content);
  const compressed = memoize(async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    const [br, gzipped] = await Promise.all([brotli(plain, { params }), gzip(plain, { level: 9 })]);
    return { br: new Uint8Array(br), gzip: new Uint8Array(gzipped) } satisfies Record<string, Bytes>;
  });
  return { path: `/docs/reference.${hash}.${extension}`, type, plain, compressed };
}

async function replyWith({ type, plain, compressed }: ReferenceFile, accepted: string): Promise<Reply> {
  const encoding = encodings.find((name) => isAccepted(name, accepted));
  return {
    status: 200,
    bytes: encoding ? (await compressed())[encoding] : plain,
    headers: {
      "content-type": `${type}; charset=utf-8`,
      // The name changes with the content.
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(encoding && { "content-encoding": encoding }),
    },
  };
}

const brotli = promisify(brotliCompress);
const gzip = promisify(zlibGzip);

function isAccepted(encoding: string, header: string): boolean {
  const named = header.split(",").map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  return named.some(([name, weight]) => name === encoding && !/^q=0(?:\.0*)?$/.test(weight ?? ""));
}

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

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

function page(nonce: string, files: { script: ReferenceFile; styles: ReferenceFile }): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Plainbook API reference</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="/service/icon.svg">
    <link rel="stylesheet" href="${files.styles.path}">
  </head>
  <body>
    <main id="reference"></main>
    <noscript>This reference is drawn by a script. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script nonce="${nonce}" src="${files.script.path}"></script>
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
