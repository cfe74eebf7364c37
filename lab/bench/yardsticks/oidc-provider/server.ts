import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import pg from "pg";
import { answerCalls } from "../../processes/calls.ts";
import { oidcTables, postgresAdapter } from "./adapter.ts";

// oidc-provider as documented: opaque tokens in PostgreSQL, rotated refresh tokens, one static client.

export type OidcPeer = { origin: string; authorization: string; refreshTokens: string[]; accessTokens: string[] };

// No openid scope: signing an id_token per refresh would be unfair, since ours has none.
const refreshScope = "profile offline_access";
const readScope = "openid profile email phone";

const handlers = {
  start: async ({ databaseUrl, people }: { databaseUrl: string; people: number }): Promise<OidcPeer> => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
    await pool.query(oidcTables);
    const client = { client_id: "bench", client_secret: randomBytes(24).toString("hex") };
    const server = createServer((request, response) => listener(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(origin, {
      adapter: postgresAdapter(pool),
      clients: [
        {
          ...client,
          grant_types: ["authorization_code", "refresh_token"],
          redirect_uris: ["https://partner.example/callback"],
        },
      ],
      cookies: { keys: [randomBytes(24).toString("hex")] },
      rotateRefreshToken: true,
      ttl: { AccessToken: 7200, RefreshToken: 864_000, Grant: 864_000 },
      features: { devInteractions: { enabled: false } },
      claims: { openid: ["sub"], profile: ["given_name", "family_name"], email: ["email"], phone: ["phone_number"] },
      findAccount: (_context: unknown, id: string) => findAccount(pool, id),
    });
    const listener = provider.callback();
    const issue = async () => {
      const accountId = randomUUID();
      await pool.query("insert into people values ($1, 'grace@example.com', 'Grace', 'Hopper', '+12025550100')", [
        accountId,
      ]);
      const grant = new provider.Grant({ accountId, clientId: client.client_id });
      grant.addOIDCScope(`${readScope} offline_access`);
      const grantId = await grant.save();
      const found = await provider.Client.find(client.client_id);
      const of = { accountId, client: found, grantId, gty: "authorization_code" };
      return {
        refresh: await new provider.RefreshToken({ ...of, scope: refreshScope }).save(),
        access: await new provider.AccessToken({ ...of, scope: readScope }).save(),
      };
    };
    const issued = await Promise.all(Array.from({ length: people }, issue));
    return {
      origin,
      authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString("base64")}`,
      refreshTokens: issued.map(({ refresh }) => refresh),
      accessTokens: issued.map(({ access }) => access),
    };
  },
};

async function findAccount(pool: pg.Pool, id: string) {
  const { rows } = await pool.query<{ email: string; first_name: string; last_name: string; phone: string }>({
    name: "find-person",
    text: "select email, first_name, last_name, phone from people where id = $1",
    values: [id],
  });
  const [person] = rows;
  return (
    person && {
      accountId: id,
      claims: () => ({
        sub: id,
        email: person.email,
        given_name: person.first_name,
        family_name: person.last_name,
        phone_number: person.phone,
      }),
    }
  );
}

export type OidcProcess = typeof handlers;

answerCalls(handlers);
