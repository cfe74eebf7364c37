import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

// The guarantee: two linters that know nothing of each other, each with every rule of its recommended set as an error,
// find nothing in the document that the service serves.
const file = "test-results/openapi/openapi.json";
// Neither may call home.
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };

beforeAll(async () => {
  process.loadEnvFile(".env.example");
  // The document is made of code: nothing is asked of a database.
  process.env["SERVICE_DATABASE_URL"] ||= "postgres://nobody@127.0.0.1:1/nothing";
  const { createServiceApi } = await import("../lib/service/http/app.ts");
  const answer = await (await createServiceApi()).fetch(new Request("http://127.0.0.1:4000/openapi.json"));
  mkdirSync("test-results/openapi", { recursive: true });
  writeFileSync(file, JSON.stringify(await answer.json(), null, 2));
});

test.each([
  ["redocly", ["lint", file, "--config", "docs/redocly.yaml", "--max-problems", "1000"]],
  ["spectral", ["lint", file, "--ruleset", "docs/spectral.yaml", "--fail-severity", "hint"]],
])(
  "%s finds nothing to complain about",
  async (linter, parameters) => {
    expect(await lint(linter, parameters)).toEqual({ code: 0, complaints: "" });
  },
  60_000,
);

async function lint(linter: string, parameters: string[]): Promise<{ code: number; complaints: string }> {
  try {
    await promisify(execFile)(process.execPath, [`node_modules/.bin/${linter}`, ...parameters], { env });
    return { code: 0, complaints: "" };
  } catch (error) {
    const { code = 1, stdout = "", stderr = "" } = error as { code?: number; stdout?: string; stderr?: string };
    return { code, complaints: stdout + stderr };
  }
}
