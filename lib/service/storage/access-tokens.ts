import { servicePool } from "./database.ts";
import { runPrepared } from "./prepared.ts";
import type { User } from "./users.ts";

/** Whom an access token speaks for, as of this moment. */
export type TokenHolder = {
  state: "valid" | "expired" | "superseded" | "revoked";
  authorizationId: string;
  clientBusinessProfileId: string;
  clientIsIntercepted: boolean;
  user: User;
};

/**
 * Looks up a set of access tokens by their hashes: for each its holder, or undefined when there is no such token. Each
 * is judged by its own client's clock; revoked outranks expired, and expired outranks superseded (Decision D5). They are
 * superseded in `supersede-access-tokens.ts`.
 */
export async function findTokenHolders(tokenHashes: Buffer[]): Promise<(TokenHolder | undefined)[]> {
  const rows = await runPrepared<HolderRow>(servicePool(), findHolders, [tokenHashes]);
  const holders: (TokenHolder | undefined)[] = tokenHashes.map(() => undefined);
  for (const { place, state, authorizationId, clientBusinessProfileId, clientIsIntercepted, ...user } of rows) {
    holders[place] = { state, authorizationId, clientBusinessProfileId, clientIsIntercepted, user };
  }
  return holders;
}

type HolderRow = User & Omit<TokenHolder, "user"> & { place: number };

const findHolders = {
  name: "find_token_holders",
  text: `
    select (asked.place - 1)::int as place,
      case when z.revoked_at is not null then 'revoked'
           when t.expires_at <= now() + c.clock_offset then 'expired'
           when t.superseded_at is not null then 'superseded'
           else 'valid' end as state,
      t.authorization_id as "authorizationId", c.business_profile_id as "clientBusinessProfileId",
      c.has_faults as "clientIsIntercepted",
      u.id, u.client_id as "clientId", u.user_type as "userType", u.status, u.first_name as "firstName",
      u.last_name as "lastName", u.email, u.phone, u.metadata, u.rejection_reasons as "rejectionReasons",
      u.business_profile_id as "businessProfileId", u.created_at as "createdAt", u.updated_at as "updatedAt"
    from unnest($1::bytea[]) with ordinality as asked (token_hash, place)
    join access_tokens t on t.token_hash = asked.token_hash
    join authorizations z on z.id = t.authorization_id
    join users u on u.id = t.user_id
    join clients c on c.id = t.client_id`,
};
