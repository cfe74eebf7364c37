import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { servicePool } from "../../storage/database.ts";
import { changeByOperator, operatorSettings } from "../../testing/operator.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { authenticateAccessToken } from "./authenticate.ts";

Object.assign(process.env, operatorSettings);

// The statements of docs/runbooks.md, with the time of the test.

const [, section = ""] = /\n## Runbook: restore\n(.*?)\n## /s.exec(readFileSync("docs/runbooks.md", "utf8")) ?? [];

async function runStatement(start: string, replacement: [string | RegExp, string]) {
  const statement = [...section.matchAll(/psql [^\n]*?c "([^"]+)"/g)].find(([, text]) => text?.startsWith(start))?.[1];
  if (statement === undefined) throw new Error(`The runbook has no statement "${start}".`);
  return servicePool().query(statement.replace(...replacement));
}

const kindOf = async (token: string) => (await authenticateAccessToken(token)).kind;
const sinceNow = async (): Promise<[RegExp, string]> => {
  const { rows } = await servicePool().query<{ now: string }>("select clock_timestamp()::text as now");
  return [/'[\d-]+ [\d:+]+'/, `'${rows[0]?.now}'`];
};
/** What a restore to a moment before them does to revocations. */
const restoreAuthorizations = () => servicePool().query("update authorizations set revoked_at = null");

test("the runbook's statements list later changes by operators, and end again what had been revoked since", async () => {
  const [revoked, kept] = [await createClientWithSeller(), await createClientWithSeller()];
  await changeByOperator(kept.clientId, "disable");
  const since = await sinceNow();
  await changeByOperator(kept.clientId, "enable");
  await revoked.call("POST", "/v1/oauth/revoke", { form: { token: revoked.sellerToken } });
  const changes = await runStatement("select client_id, action", since);
  expect(changes.rows).toMatchObject([{ client_id: kept.clientId, action: "enable", operator: "dana" }]);
  const { rows } = await runStatement("select format", since);
  await restoreAuthorizations();
  expect(await kindOf(revoked.sellerToken)).toBe("valid");
  expect(rows).toHaveLength(1);
  for (const { format } of rows) await servicePool().query(format);
  expect(await Promise.all([revoked.sellerToken, revoked.businessToken, kept.sellerToken].map(kindOf))).toEqual([
    ...["unknown", "valid", "valid"],
  ]);
});

test("without the damaged data, the runbook's statement ends all authorizations of a client", async () => {
  const [concerned, other] = [await createClientWithSeller(), await createClientWithSeller()];
  await runStatement("update authorizations", ["'shop'", `'${concerned.clientId}'`]);
  const tokens = [concerned, other].flatMap(({ sellerToken, businessToken }) => [sellerToken, businessToken]);
  expect(await Promise.all(tokens.map(kindOf))).toEqual(["unknown", "unknown", "valid", "valid"]);
});
