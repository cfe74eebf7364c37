import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as zlibGzip } from "node:zlib";
import type { Hono } from "hono";
import { memoize } from "../../../kit/memoize.ts";
import { serviceConfig } from "../../config.ts";
import { readHealth } from "../../operations/read-health.ts";
import { answerRequest, type Reply } from "../frame/answer-request.ts";
import { type DocumentedRoute, templateOf } from "../frame/define-route.ts";
import { type Refusal, refuse } from "../frame/refusal.ts";
import { buildOpenApiDocument } from "../openapi/build-document.ts";
import { runInBrowser } from "./browser-script.ts";
import { llmsText } from "./llms-text.ts";
import { readReference } from "./open-api.ts";
import { frontPage, isHealthy, privacyPage, statusPage, termsPage } from "./pages.ts";
import { referencePage } from "./reference-page.ts";
import { type DemoClient, type Html, type Site, type SitePage, sitePage } from "./site-page.ts";

/** What a sandbox adds: credentials, and forms that make calls. */
export type SandboxSite = { credentials: () => DemoClient | undefined };

/**
 * Serves the front page, reference, status, terms, privacy, `/llms.txt` and `/openapi.json`. Pages load only from this origin
 * and have no inline script or style. All but the status page are the same for every reader.
 */
export function serveSite(app: Hono, routes: readonly DocumentedRoute[], sandbox: SandboxSite | undefined): void {
  const document = memoize(() => buildOpenApiDocument(routes, serviceConfig()));
  const openApi = memoize(() => new TextEncoder().encode(JSON.stringify(document())));
  const assets = memoize(loadAssets);
  const isSandbox = sandbox !== undefined;
  const site = memoize((): Site => {
    const { baseUrl, authUrl } = serviceConfig();
    return { baseUrl, authUrl, isSandbox, credentials: sandbox?.credentials() };
  });
  const render = (page: Omit<SitePage, "assets" | "isSandbox">) =>
    sitePage({ ...page, assets: assets().addresses, isSandbox });

  const pages: Record<string, PageOfSite> = {
    "/": {
      operation: "readFrontPage",
      title: "Plainbook: onboarding, authorization and book transfers",
      description: "An API for your users’ accounts and transfers between them.",
      body: () => frontPage(site()),
    },
    "/docs": {
      operation: "readReference",
      title: "API reference · Plainbook",
      description: "Every operation, webhook, error and schema of Plainbook's API, with a quickstart.",
      isWide: true,
      body: () => referencePage(readReference(document()), site()),
    },
    "/terms": {
      operation: "readTerms",
      title: "Terms · Plainbook",
      description: "What you agree to when you authorize an application at Plainbook.",
      body: () => termsPage(site()),
    },
    "/privacy": {
      operation: "readPrivacy",
      title: "Privacy · Plainbook",
      description: "Which data Plainbook stores, who can see it, and for how long.",
      body: () => privacyPage(site()),
    },
  };
  const get = (path: string, operation: string, work: (request: Request) => Promise<Reply | Refusal>) =>
    app.get(path, ({ req }) => answerRequest(req.raw, { operation, route: templateOf(path) }, () => work(req.raw)));
  for (const [path, { operation, body, ...page }] of Object.entries(pages)) {
    const file = memoize(() => staticFile(render({ ...page, path, body: body() }), htmlType));
    get(path, operation, (request) => replyIfModified(file(), request, pageHeaders));
  }
  get("/status", "readStatus", async () => {
    const health = await readHealth();
    const [title, description] = ["Status · Plainbook", "Whether Plainbook is working."];
    const bodyText = render({ title, description, path: "/status", body: statusPage(health) });
    return { status: isHealthy(health) ? 200 : 503, bodyText, headers: { ...pageHeaders, "content-type": htmlType } };
  });
  get("/openapi.json", "readOpenApiDocument", async () => ({
    status: 200,
    bytes: openApi(),
    headers: { "content-type": "application/json" },
  }));
  const llms = memoize(() => staticFile(llmsText({ ...serviceConfig(), isSandbox }), "text/plain; charset=utf-8"));
  get("/llms.txt", "readLlmsText", (request) => replyIfModified(llms(), request, {}));
  get("/docs/:file", "readReferenceFile", async (request) => {
    const file = assets().files.get(new URL(request.url).pathname);
    // Its name changes with its content.
    return file
      ? replyWith(file, request, { "cache-control": "public, max-age=31536000, immutable" })
      : refuse("not_found");
  });
}

type PageOfSite = Pick<SitePage, "title" | "description" | "isWide"> & { operation: string; body: () => Html };

const htmlType = "text/html; charset=utf-8";

// All scripts and styles are our own files, so pages need no nonce.
const pageHeaders = {
  "referrer-policy": "no-referrer",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
};

function loadAssets() {
  const files = new Map<string, StaticFile>();
  const add = (name: string, extension: string, file: StaticFile) => {
    const path = `/docs/${name}.${file.hash}.${extension}`;
    files.set(path, file);
    return path;
  };
  const font = (name: string) => add(name, "woff2", staticFile(read(`app/fonts/${name}.woff2`), "font/woff2"));
  const fonts = (
    [
      ["newsreader", "Newsreader"],
      ["public-sans", "Public Sans"],
    ] as const
  ).map(([name, family]) => ({ name, family, address: font(name) }));
  // Preloaded, but skipped if late, so that the layout never shifts.
  const faces = fonts.map(
    ({ name, family, address }) =>
      `@font-face { font-family: "${family}"; src: url("${address}") format("woff2"); font-weight: 400 700; font-display: optional; }\n:root { --font-${name}: "${family}"; }`,
  );
  const styles = staticFile(
    [...faces, read("app/plainbook-colors.css"), read("lib/service/http/site/site.css")].join("\n"),
    "text/css; charset=utf-8",
  );
  const script = staticFile(`"use strict";(${runInBrowser})();\n`, "text/javascript; charset=utf-8");
  const addresses = {
    styles: add("site", "css", styles),
    script: add("site", "js", script),
    fonts: fonts.map(({ address }) => address),
  };
  return { files, addresses };
}

function read(path: string): Buffer {
  return readFileSync(new URL(`../../../../${path}`, import.meta.url));
}

type StaticFile = {
  hash: string;
  type: string;
  plain: Bytes;
  compressed: () => Promise<Record<Encoding, Bytes>>;
};

type Bytes = Uint8Array<ArrayBuffer>;
type Encoding = (typeof encodings)[number];

const encodings = ["br", "gzip"] as const;

/**
 * Compresses each encoding once, off the main thread, on its first request. Brotli's higher qualities take seconds to
 * save a tenth.
 */
function staticFile(content: string | Uint8Array, type: string): StaticFile {
  const plain: Bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  const hash = createHash("sha256").update(plain).digest("hex").slice(0, 16);
  const compressed = memoize(async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    const [br, gzipped] = await Promise.all([brotli(plain, { params }), gzip(plain, { level: 9 })]);
    return { br: new Uint8Array(br), gzip: new Uint8Array(gzipped) };
  });
  return { hash, type, plain, compressed };
}

/** A file at a stable address, or 304. */
async function replyIfModified(file: StaticFile, request: Request, more: Record<string, string>): Promise<Reply> {
  const headers = { ...more, "cache-control": "no-cache", etag: `W/"${file.hash}"`, vary: "accept-encoding" };
  const known = request.headers.get("if-none-match")?.split(/\s*,\s*/) ?? [];
  return known.includes(headers.etag) ? { status: 304, body: undefined, headers } : replyWith(file, request, headers);
}

async function replyWith(file: StaticFile, request: Request, more: Record<string, string>): Promise<Reply> {
  const accepted = request.headers.get("accept-encoding") ?? "";
  // Fonts are already compressed.
  const encoding = file.type.startsWith("font/") ? undefined : encodings.find((name) => isAccepted(name, accepted));
  return {
    status: 200,
    bytes: encoding ? (await file.compressed())[encoding] : file.plain,
    headers: {
      "content-type": file.type,
      vary: "accept-encoding",
      ...more,
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
