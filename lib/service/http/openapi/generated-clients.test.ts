import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createClient as generate } from "@hey-api/openapi-ts";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import webhooks from "../../../contract/examples/webhooks.json" with { type: "json" };
import { createTestClient } from "../../testing/clients.ts";
import { createSandboxApi } from "../../testing/listening-service.ts";
import { personDetails } from "../../testing/people.ts";

// Two unrelated generators make clients from the served document. If they refuse something, an integrator's client would too.

const folder = resolve("test-results/generated");
const sdkFolder = join(folder, "sdk");
const api = createSandboxApi();

let document: Record<string, unknown>;
beforeAll(async () => {
  document = await (await api.request("/openapi.json")).json();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await generate({
    input: document,
    output: sdkFolder,
    logs: { level: "silent" },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "zod", { name: "@hey-api/sdk", validator: true }],
  });
});

// Outside the repository, so its type checker doesn't check them.
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("openapi-typescript", () => {
  test("generates types that accept future values, and reject a missing field", async () => {
    writeFileSync(join(folder, "types.ts"), astToString(await openapiTS(JSON.stringify(document))));
    const uses = (fields: string) =>
      `import type { components } from "./types.ts";
       export const event: components["schemas"]["WebhookEvent"] = ${fields};
       export const status: components["schemas"]["Transfer"]["status"] = "parked";`;
    const later = { ...webhooks.transfer_updated, webhook_type: "loan_updated", user_id: "u-1" };
    expect(problemsOf("uses.ts", uses(JSON.stringify(later)))).toEqual([]);
    const { user_id: _, ...without } = later;
    expect(problemsOf("uses-wrongly.ts", uses(JSON.stringify(without)))).toEqual([
      expect.stringContaining("Property 'user_id' is missing"),
    ]);
  });
});

type Sdk = { createUserIntent: Call; readUserIntent: Call };
type Call = (options: Record<string, unknown>) => Promise<{ data?: Record<string, unknown>; error?: unknown }>;

describe("@hey-api/openapi-ts, with validation", () => {
  test("compiles", () => {
    expect(problemsOf("uses-sdk.ts", 'export { createUserIntent } from "./sdk/index.ts";')).toEqual([]);
  });

  test("calls the service, and accepts future values in its responses", async () => {
    const sdk = await load<Sdk>("sdk.gen.ts");
    const { clientId, clientSecret } = await createTestClient();
    let later = (text: string) => text;
    const fetch = async (request: Request) => {
      const answer = await api.fetch(request);
      return new Response(later(await answer.text()), { status: answer.status, headers: answer.headers });
    };
    const { createClient } = await load<{ createClient: (options: object) => object }>("client/client.gen.ts");
    const client = createClient({ baseUrl: "http://127.0.0.1:4000", fetch, auth: `${clientId}:${clientSecret}` });
    const created = await sdk.createUserIntent({ client, body: personDetails() });
    expect(created.error).toBeUndefined();
    const path = { id: created.data?.["id"] };
    expect((await sdk.readUserIntent({ client, path })).data).toMatchObject({ ...path, status: "pending" });
    later = (text) => text.replace('"pending"', '"parked"');
    expect((await sdk.readUserIntent({ client, path })).data).toMatchObject({ status: "parked" });
    later = (text) => text.replace('"pending"', "7");
    await expect(sdk.readUserIntent({ client, path, throwOnError: true })).rejects.toThrow();
  });

  test("accepts webhooks of a future type, and rejects one without an id", async () => {
    type Validators = { zWebhookEvent: { safeParse: (value: unknown) => { success: boolean } } };
    const { zWebhookEvent } = await load<Validators>("zod.gen.ts");
    const later = { ...webhooks.user_updated, webhook_type: "loan_updated" };
    expect(zWebhookEvent.safeParse(later).success).toBe(true);
    expect(zWebhookEvent.safeParse({ ...later, webhook_id: undefined }).success).toBe(false);
  });
});

async function load<Module>(file: string): Promise<Module> {
  return (await import(pathToFileURL(join(sdkFolder, file)).href)) as Module;
}

function problemsOf(name: string, source: string): string[] {
  const file = join(folder, name);
  writeFileSync(file, source);
  const program = ts.createProgram([file], {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: [] },
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, lib: ["lib.es2023.d.ts", "lib.dom.d.ts"] },
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}
