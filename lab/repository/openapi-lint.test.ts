import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { beforeAll, describe, expect, test } from "vitest";

// Two independent linters with their strictest rules find nothing in the OpenAPI document. Redocly runs as a command, because
// its CLI is one package without dependencies.
type Linter = (name: string, document: OpenApiDocument) => Promise<Complaint[]>;
type Complaint = { rule: string; at: string };
type OpenApiDocument = { paths: Record<string, Record<string, Record<string, unknown>>> };

const folder = "test-results/openapi";

let served: OpenApiDocument;
let operators: OpenApiDocument;
beforeAll(async () => {
  process.loadEnvFile(".env.example");
  // The document comes from code, without a database.
  process.env["SERVICE_DATABASE_URL"] ||= "postgres://user@127.0.0.1:1/nothing";
  const { createSandboxApi } = await import("../../lib/service/testing/listening-service.ts");
  const answer = await createSandboxApi().fetch(new Request("http://127.0.0.1:4000/openapi.json"));
  served = (await answer.json()) as OpenApiDocument;
  const { createOperatorApi } = await import("../../lib/service/http/app.ts");
  const ofOperator = await createOperatorApi().fetch(new Request("http://127.0.0.1:4711/openapi.json"));
  operators = (await ofOperator.json()) as OpenApiDocument;
  mkdirSync(folder, { recursive: true });
});

describe.each<{ linter: string; lint: Linter; structure: string }>([
  { linter: "redocly", lint: lintByRedocly, structure: "struct" },
  { linter: "spectral", lint: lintBySpectral, structure: "oas3-schema" },
])("$linter", ({ lint, structure }) => {
  test("finds no problems", async () => {
    expect(await lint("served", served)).toEqual([]);
    expect(await lint("operators", operators)).toEqual([]);
  });

  test("finds planted faults", async () => {
    const faulty = structuredClone(served);
    delete operationIn(faulty, "get", "/v1/user")["operationId"];
    operationIn(faulty, "post", "/v1/user_intent")["summary"] = 7;
    const rules = (await lint("faulty", faulty)).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(["operation-operationId", structure]));
  });
});

function operationIn({ paths }: OpenApiDocument, method: string, path: string): Record<string, unknown> {
  const operation = paths[path]?.[method];
  if (!operation) throw new Error(`the document has no ${method} ${path}`);
  return operation;
}

async function lintByRedocly(name: string, document: OpenApiDocument): Promise<Complaint[]> {
  const file = `${folder}/${name}.json`;
  writeFileSync(file, JSON.stringify(document, null, 2));
  const { problems } = JSON.parse(await runRedocly(file)) as {
    problems: { ruleId: string; message: string; location: { pointer: string }[] }[];
  };
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    at: `${location[0]?.pointer ?? ""} ${message}`,
  }));
}

async function runRedocly(file: string): Promise<string> {
  const parameters = ["lint", file, "--config", "docs/redocly.yaml", "--format", "json", "--max-problems", "1000"];
  // Disable telemetry.
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  try {
    return (await promisify(execFile)(process.execPath, ["node_modules/.bin/redocly", ...parameters], { env })).stdout;
  } catch (error) {
    // Both findings and crashes exit with 1; only findings go to stdout.
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    if (!stdout) throw new Error(`redocly crashed: ${stderr}`, { cause: error });
    return stdout;
  }
}

async function lintBySpectral(_name: string, document: OpenApiDocument): Promise<Complaint[]> {
  const spectral = new Spectral();
  spectral.setRuleset({
    // A valid ruleset; its inferred type only widens the severities.
    extends: [[oas as RulesetDefinition, "all"]],
    // Tags follow the order of an integration.
    rules: { "openapi-tags-alphabetical": "off" },
  });
  const problems = await spectral.run(JSON.stringify(document));
  return problems.map(({ code, message, path }) => ({ rule: String(code), at: `${path.join("/")} ${message}` }));
}
