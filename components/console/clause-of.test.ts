import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { clauseOf } from "./clause-of.ts";

const clauses = Object.keys(JSON.parse(readFileSync("lab/clauses/clauses.json", "utf8")));
const operations = Object.values(
  JSON.parse(readFileSync("lib/contract/examples/sandbox.json", "utf8")).EventPage.events as SandboxEvent[],
);

test("every kind of event has an existing clause", () => {
  const [call] = operations;
  const of = (changes: object) => clauseOf({ ...call, ...changes } as SandboxEvent);
  const rested = [
    of({}),
    of({ kind: "visit" }),
    of({ kind: "customer" }),
    ...["user_intent_updated", "user_updated", "routine_updated"].map((webhook_type) =>
      of({ kind: "delivery", webhook_type }),
    ),
    ...["clock/advance", "users/1/status", "transfers/1/status", "accounts/1/fund", "webhooks/1/redeliver"]
      .concat(["webhook_endpoint", "webhook_faults", "faults", "client", "clients"])
      .map((path) => of({ kind: "control", path: `/sandbox/${path}` })),
  ];
  for (const clause of rested) expect(clauses).toContain(clause);
  expect(new Set(rested.slice(-10)).size).toBe(9);
});

test("ending a user's tokens and deciding about the user have different clauses", () => {
  const of = (path: string) => clauseOf({ kind: "control", path: `/sandbox/users/1/${path}` } as SandboxEvent);
  expect(["status", "tokens/expire", "tokens/revoke"].map(of)).toEqual(["D16.2", "D16.14", "D16.14"]);
  for (const clause of ["D16.2", "D16.14"]) expect(clauses).toContain(clause);
});

test("a refresh and an exchange have different clauses", () => {
  const [call] = operations;
  const of = (grant_type: string) =>
    clauseOf({ ...call, operation: "issueTokens", facts: { grant_type } } as SandboxEvent);
  expect([of("authorization_code"), of("refresh_token")]).toEqual([
    "I.post-v1-oauth-token.1",
    "I.post-v1-oauth-token.2",
  ]);
});

test("every operation has a clause", () => {
  const routes = ["people", "token", "money"].map((name) =>
    readFileSync(`lib/service/http/api/${name}-routes.ts`, "utf8"),
  );
  const names = routes.flatMap((text) => [...text.matchAll(/operation: "(\w+)"/g)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(12);
  const [call] = operations;
  for (const operation of names) expect(clauses).toContain(clauseOf({ ...call, operation } as SandboxEvent));
});
