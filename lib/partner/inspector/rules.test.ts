import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EntryDetails } from "../storage/inspector-entry.ts";
import { type Rule, ruleOf, rules } from "./rules.ts";

// The guarantee: what an entry is said to rest on stands in the documents, and what it is said to be done by does it.

const clauses = JSON.parse(readFileSync("lab/clauses/clauses.json", "utf8")) as Record<string, unknown>;
const published = readFileSync("docs/spec/interface.md", "utf8");
const decisions = readFileSync("docs/spec/decisions.md", "utf8");

test.each(rules.map((rule) => [`${rule.clause}: ${rule.name}`, rule] as const))("%s", (_name, rule) => {
  const { clause, says, file } = rule;
  expect(clauses).toHaveProperty([clause]);
  expect(clause.startsWith("I.") ? published : sectionOf(rule)).toContain(says);
  expect(existsSync(file)).toBe(true);
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

test.each(doers)("%s is done by a file that calls %s, whatever caused it", (line, call) => {
  const [method = "", path = ""] = line.split(" ");
  for (const cause of [...causes, undefined]) {
    const rule = ruleOf({ ...exchange, method, path, cause });
    expect(readFileSync(rule?.file ?? "", "utf8")).toMatch(new RegExp(`(?:service\\(\\)|client)\\.${call}\\b`));
  }
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

test("every call of the service client rests on something", () => {
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
