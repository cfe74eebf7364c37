import { memoize } from "../../kit/memoize.ts";
import { createOperatorApi } from "../http/app.ts";
import { servicePool } from "../storage/database.ts";
import type { CallAnswer } from "./clients.ts";

/** Read by `serviceConfig()` on its first call, so a test file sets it before. */
export const operatorToken = "operator-token-for-tests-alone-0000001";
export const operatorSettings = { OPERATOR_TOKEN: operatorToken };

const api = memoize(createOperatorApi);

/** Calls the operator's listener; the body becomes JSON unless it's a string. */
export async function callOperator(
  method: string,
  path: string,
  { body, authorization = `Bearer ${operatorToken}` }: { body?: unknown; authorization?: string | null } = {},
): Promise<CallAnswer> {
  const request = new Request(`http://127.0.0.1:4711${path}`, {
    method,
    headers: {
      ...(authorization !== null && { authorization }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    body: body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body),
  });
  const response = await api().fetch(request);
  const text = await response.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, json };
}

/** Changes a client through the listener. */
export function changeByOperator(
  clientId: string,
  action: string,
  body: Record<string, unknown> = {},
): Promise<CallAnswer> {
  return callOperator("POST", `/clients/${clientId}/${action}`, { body: { by: "dana", ...body } });
}

/** Everything stored about a client that an operator can change, for later comparison. */
export async function rowsOfClient(clientId: string): Promise<unknown> {
  const { rows } = await servicePool().query(
    `select
      (select to_jsonb(t) from clients t where id = $1) as client,
      (select to_jsonb(t) from webhook_endpoints t where client_id = $1) as endpoint,
      (select jsonb_agg(to_jsonb(t) order by id) from users t where client_id = $1) as users,
      (select jsonb_agg(to_jsonb(t) order by id) from user_intents t where client_id = $1) as intents,
      (select jsonb_agg(to_jsonb(t) order by id) from accounts t where client_id = $1) as accounts,
      (select jsonb_agg(to_jsonb(t) order by id) from deliveries t where client_id = $1) as deliveries,
      (select count(*) from entries e join accounts a on a.id = e.account_id where a.client_id = $1) as entries,
      (select jsonb_agg(to_jsonb(t) order by id) from operator_changes t where client_id = $1) as changes`,
    [clientId],
  );
  return rows[0];
}

/** A client's audit records, oldest first. */
export async function changesOf(clientId: string) {
  const { rows } = await servicePool().query<{
    action: string;
    operator: string;
    via: string;
    details: Record<string, unknown>;
  }>("select action, operator, via, details from operator_changes where client_id = $1 order by id", [clientId]);
  return rows;
}
