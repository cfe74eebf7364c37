import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../contract/errors.ts";
import { webhookTypes } from "../../../contract/webhooks.ts";
import { serviceConfig } from "../../config.ts";
import { sandboxRoutes } from "../../sandbox/http/sandbox-routes.ts";
import { createSandboxApi } from "../../testing/listening-service.ts";
import { operationsOf } from "../../testing/open-api.ts";
import { moneyRoutes } from "../api/money-routes.ts";
import { peopleRoutes } from "../api/people-routes.ts";
import { tokenRoutes } from "../api/token-routes.ts";
import { createServiceApi } from "../app.ts";
import { buildOpenApiDocument } from "./build-document.ts";
import type { Json } from "./json-schemas.ts";

type Described = Record<"paths" | "webhooks", Record<string, Record<string, DescribedOperation>>>;
type DescribedOperation = {
  operationId: string;
  parameters?: { in?: string; required?: boolean; example?: unknown }[];
  requestBody?: { content: Record<string, { schema: { examples?: unknown[] }; examples?: object }> };
};

const api = createSandboxApi();
const publicRoutes = [...peopleRoutes, ...tokenRoutes, ...moneyRoutes];
const origins = { baseUrl: "http://127.0.0.1:4000", authUrl: "http://127.0.0.1:4000" };

describe("GET /openapi.json", () => {
  test("200: contains every operation that is served", async () => {
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
    const endpoints = served.map(({ method, template }) => `${method} ${template}`);
    expect(endpoints).toEqual(
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

  test("200: each operation has a description, and a response schema with an example", () => {
    const routes = [...publicRoutes, ...sandboxRoutes];
    expect(routes.filter((route) => !route.documentation).map(({ operation }) => operation)).toEqual([]);
    for (const { operationId, responses } of operationsOf(buildOpenApiDocument(routes, origins))) {
      const json = (responses[200] ?? responses[201])?.content?.["application/json"];
      if (json) expect(json, operationId).toEqual({ schema: { $ref: expect.anything() }, examples: expect.anything() });
    }
  });

  test("200: contains every reason except the one that no operation uses", async () => {
    const text = await (await api.request("/openapi.json")).text();
    const missing = Object.keys(refusals).filter((reason) => !text.includes(`#/components/examples/${reason}"`));
    expect(missing).toEqual(["method_not_allowed"]);
  });

  test("200: states each operation's credentials, in its description too", () => {
    const { paths } = buildOpenApiDocument(publicRoutes, origins) as { paths: Record<string, Json> };
    expect(paths["/v1/user_intent"]).toHaveProperty(
      "post.description",
      expect.stringMatching(/client's credentials \(Basic\)\.$/),
    );
    expect(paths["/v1/oauth/revoke"]).toHaveProperty(
      "post.description",
      expect.stringMatching(/\(Basic, or client_id and client_secret in the body, not both\)\.$/),
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

  test("200: production's is the committed docs/openapi.json, of the package's version", async () => {
    const document = buildOpenApiDocument(publicRoutes, origins);
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("../../../../docs/openapi.json");
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(document["info"]).toHaveProperty("version", version);
    const served = await (await createServiceApi().request("/openapi.json")).json();
    const { baseUrl, authUrl } = serviceConfig();
    expect(served).toEqual(JSON.parse(JSON.stringify(buildOpenApiDocument(publicRoutes, { baseUrl, authUrl }))));
  });

  test("200: each call and webhook has an example of its body and required parameters", async () => {
    const { paths, webhooks } = (await (await api.request("/openapi.json")).json()) as Described;
    const operations = [paths, webhooks]
      .flatMap((items) => Object.values(items))
      .flatMap((item) => Object.values(item));
    const bodies = operations.filter(({ requestBody }) => requestBody);
    expect(bodies.length).toBeGreaterThan(15);
    const without = bodies.filter(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).some(({ schema, examples }) => !examples && !schema.examples),
    );
    const unclear = operations.filter(({ parameters = [] }) =>
      parameters.some(
        ({ in: location, required, example }) =>
          (location === "path" || (location === "query" && required)) && example === undefined,
      ),
    );
    expect([...without, ...unclear].map(({ operationId }) => operationId)).toEqual([]);
  });

  test("200: without the sandbox, the document doesn't mention it", () => {
    const text = JSON.stringify(buildOpenApiDocument(publicRoutes, origins));
    expect(text.match(/sandbox/gi)).toBeNull();
    expect(text).not.toContain("ClockAdvance");
  });
});
