import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findCode, readCode } from "./read-code.ts";
import { type Rule, ruleOf, rules } from "./rules.ts";
import type { EntryDetails } from "./schema.ts";

// The clauses that an entry cites exist in the documents, and the code that it names does the work.

const clauses = JSON.parse(readFileSync("lab/clauses/clauses.json", "utf8")) as Record<string, unknown>;
const published = readFileSync("docs/spec/interface.md", "utf8");
const decisions = readFileSync("docs/spec/decisions.md", "utf8");

test.each(rules.map((rule) => [`${rule.clause}: ${rule.name}`, rule] as const))("%s", (_name, rule) => {
  const { clause, says, file, line } = rule;
  expect(clauses).toHaveProperty([clause]);
  expect(clause.startsWith("I.") ? published : sectionOf(rule)).toContain(says);
  expect(existsSync(file)).toBe(true);
  expect(readCode(rule)?.lines.join("\n")).toContain(line);
});

function sectionOf({ clause }: Rule): string {
  const [name = ""] = clause.split(".");
  return decisions.split(/^## /m).find((section) => section.startsWith(`${name} `)) ?? "";
}

const doers: [string, string][] = [
  ["POST /v1/user_intent", "createUserIntent"],
  ["GET /v1/user_intent/i", "readUserIntent"],
  ["POST /v1/partner/identity/verification", "createIdentityVerificationToken"],
  ["POST /v1/oauth/token", "exchangeCode"],
  ["POST /v1/oauth/revoke", "revokeTokens"],
  ["GET /.well-known/oauth-authorization-server", "readAuthorizationServerMetadata"],
  ["GET /v1/user", "readUser"],
  ["GET /v1/accounts", "listAccounts"],
  ["POST /v1/routines/book", "createBookRoutine"],
  ["POST /v1/routines/book/void", "voidBookRoutine"],
  ["GET /v1/routines", "listRoutines"],
  ["GET /v1/routines/r", "readRoutine"],
  ["GET /v1/transfers", "listTransfers"],
  ["GET /v1/transfers/t", "readTransfer"],
];
const causes = [
  "GET /callback",
  "GET /dashboard",
  "POST /routines/new",
  "POST /routines/r/resolve",
  "webhook user_updated",
];

test.each(doers)("%s is done by a file that calls %s, regardless of the cause", (line, call) => {
  const [method = "", path = ""] = line.split(" ");
  for (const cause of [...causes, undefined]) {
    const rule = ruleOf({ ...exchange, method, path, cause });
    expect(readFileSync(rule?.file ?? "", "utf8")).toMatch(new RegExp(`(?:service\\(\\)|client)\\.${call}\\b`));
  }
});

test("the code of a rule is the function that makes the call, with the number of its first line and of the call", () => {
  const rule = ruleOf({ ...exchange, method: "POST", path: "/v1/user_intent" });
  const code = rule && readCode(rule);
  const source = readFileSync("lib/partner/onboarding/submit-onboarding.ts", "utf8").split("\n");
  expect(code?.lines).toEqual(source.slice((code?.start ?? 0) - 1, (code?.start ?? 0) - 1 + (code?.lines.length ?? 0)));
  expect(code?.lines[0]).toMatch(/^async function /);
  expect(code?.lines.at(-1)).toBe("}");
  expect(source[(code?.call ?? 0) - 1]).toContain("client.createUserIntent(");
  expect(code?.editor).toBe(`vscode://file${process.cwd()}/lib/partner/onboarding/submit-onboarding.ts:${code?.call}`);
});

test("shows no code outside a checkout, or of a file that no rule names", () => {
  const [rule] = rules;
  const copy = mkdtempSync(join(tmpdir(), "copy-"));
  cpSync(rule?.file ?? "", join(copy, rule?.file ?? ""));
  expect(rule && readCode(rule, copy)).toBeUndefined();
  mkdirSync(join(copy, ".git"));
  expect(rule && readCode(rule, copy)).toBeDefined();
  rmSync(copy, { recursive: true });
  expect(findCode("package.json", '"name"')).toBeUndefined();
  expect(findCode(rule?.file ?? "", rule?.line ?? "")).toBeDefined();
});

test("a refresh is distinguished from an exchange", () => {
  const refresh = {
    ...exchange,
    method: "POST",
    path: "/v1/oauth/token",
    request: { headers: {}, body: { grant_type: "refresh_token" } },
  };
  expect(ruleOf(refresh)).toMatchObject({
    clause: "I.post-v1-oauth-token.2",
    file: "lib/client/token-keeper.ts",
  });
});

test("every call of the service client has a clause", () => {
  const sources = globSync("lib/client/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const calls = sources.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/method: "(\w+)",[^}]*?path: ["`](\/[^"`?]+)/gs)].map(
      ([, method = "", path = ""]) => ({
        method,
        path: path.replaceAll(/\$\{[^}]*\}/g, "id"),
      }),
    ),
  );
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.filter((call) => !ruleOf({ ...exchange, ...call }))).toEqual([]);
});

const exchange: EntryDetails = {
  kind: "call",
  method: "GET",
  path: "/",
  outcome: "ok",
  status: 200,
  problems: [],
  request: { headers: {} },
};
