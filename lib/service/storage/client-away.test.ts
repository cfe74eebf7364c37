import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { type ClientWithSeller, createClientWithSeller } from "../testing/client-with-seller.ts";
import { servicePool } from "./database.ts";

// By statements, past everything that asks before: each trigger that asks, once.
const writes: Record<string, (client: ClientWithSeller) => Promise<unknown>> = {
  "a row that is changed": ({ sellerId }) => ask("update users set first_name = 'Late' where id = $1", [sellerId]),
  "a row that is new": ({ clientId, sellerId }) =>
    ask("insert into authorizations (id, client_id, user_id, created_at) values ($1, $2, $3, now())", [
      ...[newId(), clientId, sellerId],
    ]),
  "a routine": ({ clientId, businessUserId }) =>
    ask(
      `insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
       values ($1, $2, $3, 'Payout', 'active', '', now(), now())`,
      [newId(), clientId, businessUserId],
    ),
  "a token": ({ clientId, sellerId }) =>
    ask(
      `insert into refresh_tokens (token_hash, authorization_id, client_id, user_id, expires_at, created_at)
       select sha256('late'), id, client_id, user_id, now(), now() from authorizations where client_id = $1 and user_id = $2`,
      [clientId, sellerId],
    ),
  "a posting without a transfer": ({ operatingId, walletId }) =>
    ask(
      `insert into entries (posting_id, account_id, amount_cents, created_at)
       values ($1, $2, 5, now()), ($1, $3, -5, now())`,
      [newId(), operatingId, walletId],
    ),
  "the client's settings": ({ clientId }) => ask("update clients set name = 'Late' where id = $1", [clientId]),
  "where its webhooks go": ({ clientId }) =>
    ask("update webhook_endpoints set url = 'https://late.example' where client_id = $1", [clientId]),
};

const ask = (text: string, values: unknown[]) => servicePool().query(text, values);

test.each(Object.keys(writes))("%s of a client that is away is refused, and of another is not", async (what) => {
  const [client, bystander] = [await createClientWithSeller(), await createClientWithSeller()];
  await ask("update clients set away_since_real_at = now() where id = $1", [client.clientId]);
  await expect(writes[what]?.(client)).rejects.toMatchObject({ code: "GW001" });
  await writes[what]?.(bystander);
});
