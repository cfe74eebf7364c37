import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../contract/errors.ts";
import { webhookTypes } from "../../../contract/webhooks.ts";
import { operationsOf } from "../../testing/open-api.ts";
import { createSandboxApi } from "../../testing/sandbox-api.ts";
import { moneyRoutes } from "../api/money-routes.ts";
import { peopleRoutes } from "../api/people-routes.ts";
import { tokenRoutes } from "../api/token-routes.ts";
import { sandboxRoutes } from "../sandbox/sandbox-routes.ts";
import { buildOpenApiDocument } from "./build-document.ts";
import type { Json } from "./json-schemas.ts";

const api = createSandboxApi();
const publicRoutes = [...peopleRoutes, ...tokenRoutes, ...moneyRoutes];
const origins = { baseUrl: "http://127.0.0.1:4000", authUrl: "http://127.0.0.1:4000" };

describe("GET /openapi.json", () => {
  test("200: names every operation that is served", async () => {
    const answer = await api.request("/openapi.json");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const names = operationsOf(await answer.json()).map(({ operationId }) => operationId);
    const served = [...publicRoutes, ...sandboxRoutes].map(({ operation }) => operation);
    expect(names).toEqual(expect.arrayContaining(served));
  });

  test("200: every published endpoint is served under the version's prefix /v1", async () => {
    const served = operationsOf(await (await api.request("/openapi.json")).json());
    const places = served.map(({ method, template }) => `${method} ${template}`);
    expect(places).toEqual(
      expect.arrayContaining([
        "POST /v1/user_intent",
        "GET /v1/user",
        "POST /v1/oauth/token",
        "POST /v1/partner/identity/verification",
        "POST /v1/routines/book",
        "GET /v1/routines/{id}",
        "GET /v1/transfers/{transfer_id}",
      ]),
    );
    const templates = served.map(({ template }) => template);
    const unversioned = templates.filter((template) => !/^\/(?:v1|sandbox)\//.test(template));
    expect(unversioned).toEqual(["/.well-known/oauth-authorization-server"]);
  });

  test("200: each of them says what it does and what it answers, in words and by a schema with a golden example", () => {
    const routes = [...publicRoutes, ...sandboxRoutes];
    expect(routes.filter((route) => !route.documentation).map(({ operation }) => operation)).toEqual([]);
    for (const { operationId, responses } of operationsOf(buildOpenApiDocument(routes, origins))) {
      const json = (responses[200] ?? responses[201])?.content?.["application/json"];
      if (json) expect(json, operationId).toEqual({ schema: { $ref: expect.anything() }, examples: expect.anything() });
    }
  });

  test("200: knows every reason but the one that no operation answers", async () => {
    const text = await (await api.request("/openapi.json")).text();
    const missing = Object.keys(refusals).filter((reason) => !text.includes(`#/components/examples/${reason}"`));
    expect(missing).toEqual(["method_not_allowed"]);
  });

  test("200: says of each operation, in words too, with which credentials it is called", () => {
    const { paths } = buildOpenApiDocument(publicRoutes, origins) as { paths: Record<string, Json> };
    expect(paths["/v1/user_intent"]).toHaveProperty(
      "post.description",
      expect.stringMatching(/client's credentials \(Basic\)\.$/),
    );
    expect(paths["/v1/user"]).toHaveProperty("get.description", expect.stringMatching(/access token \(Bearer\)\.$/));
  });

  test("200: lists the four webhooks, both ways to authenticate, and the token endpoint as form and as JSON", async () => {
    const document = await (await api.request("/openapi.json")).json();
    expect(Object.keys(document.webhooks)).toEqual([...webhookTypes]);
    expect(Object.keys(document.components.securitySchemes)).toEqual(
      expect.arrayContaining(["clientCredentials", "accessToken"]),
    );
    expect(Object.keys(document.paths["/v1/oauth/token"].post.requestBody.content)).toEqual([
      "application/json",
      "application/x-www-form-urlencoded",
    ]);
  });

  test("200: without the sandbox there is nothing of it in the document", () => {
    const { paths, tags } = buildOpenApiDocument(publicRoutes, origins) as { paths: object; tags: { name: string }[] };
    expect(Object.keys(paths).filter((path) => path.startsWith("/sandbox"))).toEqual([]);
    expect(tags.map(({ name }) => name)).not.toContain("Sandbox");
  });
});

describe("GET /docs", () => {
  test("200: runs scripts by nonce only, a new one each time, and asks nobody but this origin", async () => {
    const [answer, other] = [await api.request("/docs"), await api.request("/docs")];
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).not.toBe(other.headers.get("content-security-policy"));
    expect(policy).toMatch(/script-src 'nonce-[^']+';/);
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    const page = await answer.text();
    expect([...page.matchAll(/<script nonce="([^"]+)"/g)].map(([, given]) => given)).toEqual([nonce, nonce]);
    expect(page).not.toMatch(/https?:/);
  });

  test.each([
    { extension: "js", mediaType: "text/javascript", content: "SwaggerUIBundle" },
    { extension: "css", mediaType: "text/css", content: ".swagger-ui" },
  ])(
    "200: its $extension is the one that is installed, under a name that changes with it, kept for ever",
    async (file) => {
      const path = await findFile(file.extension);
      expect(path).toMatch(/^\/docs\/reference\.[0-9a-f]{16}\.(?:js|css)$/);
      const answer = await api.request(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe(`${file.mediaType}; charset=utf-8`);
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(await answer.text()).toContain(file.content);
    },
  );

  test.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
  ] as const)("200: to a reader that accepts %s its script is %s", async (accepted, encoding, decompress) => {
    const path = await findFile("js");
    const plain = Buffer.from(await (await api.request(path)).arrayBuffer());
    const answer = await api.request(path, { headers: { "accept-encoding": accepted } });
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(answer.headers.get("vary")).toBe("accept-encoding");
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.length).toBeLessThan(plain.length / 2);
    expect(decompress(body).equals(plain)).toBe(true);
  });

  test("404: there is no such file under another name", async () => {
    expect((await api.request("/docs/reference.0000000000000000.js")).status).toBe(404);
    expect((await api.request("/docs/reference.js")).status).toBe(404);
  });

  test("200: shows calls, makes none and asks for no credentials", async () => {
    const page = await (await api.request("/docs")).text();
    expect(page).toContain("supportedSubmitMethods: []");
    expect(page).toContain("authorizeBtn: () => nothing");
  });
});

async function findFile(extension: string): Promise<string> {
  const page = await (await api.request("/docs")).text();
  return new RegExp(`(?:src|href)="(/docs/[^"]+\\.${extension})"`).exec(page)?.[1] ?? "";
}
