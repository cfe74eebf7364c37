import { limits } from "../../contract/limits.ts";
import { runPrepared } from "../../kit/postgres.ts";
import type { Connection } from "./database.ts";
import { servicePool } from "./database.ts";
import type { User } from "./people.ts";

/** The user of an access token. */
export type TokenHolder = {
  state: "valid" | "expired" | "superseded" | "revoked";
  clientBusinessProfileId: string;
  clientIsIntercepted: boolean;
  user: User;
};

/**
 * The holders of access tokens by hash; undefined for an unknown token. Each is judged by its client's clock. Revoked
 * outranks expired, which outranks superseded (Decision D5). A disabled client's tokens count as revoked.
 */
export async function findTokenHolders(tokenHashes: Buffer[]): Promise<(TokenHolder | undefined)[]> {
  const rows = await runPrepared<HolderRow>(servicePool(), findHolders, [tokenHashes]);
  const holders: (TokenHolder | undefined)[] = tokenHashes.map(() => undefined);
  for (const { index, state, clientBusinessProfileId, clientIsIntercepted, ...user } of rows) {
    holders[index] = { state, clientBusinessProfileId, clientIsIntercepted, user };
  }
  return holders;
}

type HolderRow = User & Omit<TokenHolder, "user"> & { index: number };

const findHolders = {
  name: "find_token_holders",
  text: `
    select (requested.position - 1)::int as index,
      case when z.revoked_at is not null or c.disabled_at is not null then 'revoked'
           when t.expires_at <= now() + c.clock_offset then 'expired'
           when t.superseded_at is not null then 'superseded'
           else 'valid' end as state,
      c.business_profile_id as "clientBusinessProfileId", c.has_faults as "clientIsIntercepted",
      u.id, u.client_id as "clientId", u.user_type as "userType", u.status, u.first_name as "firstName",
      u.last_name as "lastName", u.email, u.phone, u.metadata, u.rejection_reasons as "rejectionReasons",
      u.business_profile_id as "businessProfileId", u.created_at as "createdAt", u.updated_at as "updatedAt"
    from unnest($1::bytea[]) with ordinality as requested (token_hash, position)
    join access_tokens t on t.token_hash = requested.token_hash
    join authorizations z on z.id = t.authorization_id
    join users u on u.id = t.user_id
    join clients c on c.id = t.client_id`,
};

export type NewTokenPair = { accessTokenHash: Buffer; refreshTokenHash: Buffer };

/**
 * Issues a pair under an authorization and supersedes the user's access token. Lock the user first (`lockUserTokens`).
 */
export async function insertTokenPair(
  connection: Connection,
  { accessTokenHash, refreshTokenHash, authorizationId }: NewTokenPair & { authorizationId: string },
): Promise<void> {
  await runPrepared(connection, issuePairForAuthorization, [accessTokenHash, refreshTokenHash, authorizationId]);
}

/** A refresh token and the hashes of the pair to issue for it. */
export type Refresh = NewTokenPair & { clientId: string; presentedTokenHash: Buffer };

/**
 * Issues a pair for each valid refresh, in one statement, its own transaction, and returns their indexes in the set.
 * A user's refreshes count as consecutive: the last access token is current, and every refresh token stays valid. Writes
 * nothing for users whose row is locked, or who got a token since the statement began.
 */
export async function insertTokenPairsOfRefreshes(
  connection: Connection,
  refreshes: readonly Refresh[],
): Promise<Set<number>> {
  const rows = await runPrepared<{ index: number }>(connection, refresh, [
    refreshes.map(({ presentedTokenHash }) => presentedTokenHash),
    refreshes.map(({ clientId }) => clientId),
    refreshes.map(({ accessTokenHash }) => accessTokenHash),
    refreshes.map(({ refreshTokenHash }) => refreshTokenHash),
  ]);
  return indexesOf(rows);
}

/** Reads back `insertTokenPairsOfRefreshes` after a lost answer. */
export async function lockIssuedPairs(
  connection: Connection,
  refreshes: readonly Pick<NewTokenPair, "refreshTokenHash">[],
): Promise<Set<number>> {
  const hashes = refreshes.map(({ refreshTokenHash }) => refreshTokenHash);
  return indexesOf(await runPrepared(connection, lockIssued, [hashes]));
}

function indexesOf(rows: { index: number }[]): Set<number> {
  return new Set(rows.map(({ index }) => index));
}

/** Expired tokens become unknown when swept. */
export type RefreshTokenProblem =
  | "refresh_token_unknown"
  | "refresh_token_of_another_client"
  | "refresh_token_revoked"
  | "refresh_token_expired";

/** The problem of each refresh, or undefined. */
export async function findProblemsOfRefreshTokens(
  connection: Connection,
  refreshes: readonly Refresh[],
): Promise<(RefreshTokenProblem | undefined)[]> {
  const rows = await runPrepared<{ problem: RefreshTokenProblem | null }>(connection, findProblems, [
    refreshes.map(({ presentedTokenHash }) => presentedTokenHash),
    refreshes.map(({ clientId }) => clientId),
  ]);
  return rows.map(({ problem }) => problem ?? undefined);
}

// As PostgreSQL intervals.
const accessTokenLife = `${limits.accessTokenSeconds} seconds`;
const refreshTokenLife = `${limits.refreshTokenSeconds} seconds`;

/**
 * A statement that issues a pair for each row of `selected` and returns its index in the set. Supersedes all access tokens of each
 * user except the last; a unique index allows one. `whenSecond` says what to do about a second one.
 */
export function issuingText(selected: string, whenSecond: "" | "on conflict do nothing" = ""): string {
  return `
    with ${selected}, granted as (
      select *, row_number() over (partition by user_id order by position desc) = 1 as is_last from selected
    ), superseded as (
      update access_tokens t set superseded_at = g.at from granted g
      where g.is_last and t.user_id = g.user_id and t.superseded_at is null returning 1
    ), current as (
      insert into access_tokens (token_hash, authorization_id, client_id, user_id, created_at, expires_at)
      select access_hash, authorization_id, client_id, user_id, at, at + interval '${accessTokenLife}'
      -- Asking for the count makes PostgreSQL supersede first; the index allows one current token per user.
      from granted where is_last and (select count(*) from superseded) >= 0 ${whenSecond}
      returning user_id
    ), issued as (
      select granted.* from granted join current on current.user_id = granted.user_id
    ), earlier as (
      insert into access_tokens (token_hash, authorization_id, client_id, user_id, created_at, expires_at, superseded_at)
      select access_hash, authorization_id, client_id, user_id, at, at + interval '${accessTokenLife}', at
      from issued where not is_last
    ), refresh as (
      insert into refresh_tokens (token_hash, authorization_id, client_id, user_id, created_at, expires_at)
      select refresh_hash, authorization_id, client_id, user_id, at, at + interval '${refreshTokenLife}' from issued
    )
    select (position - 1)::int as index from issued`;
}

const issuePairForAuthorization = {
  name: "issue_pair_for_authorization",
  text: issuingText(`
    selected as (
      select 1 as position, $1::bytea as access_hash, $2::bytea as refresh_hash, z.id as authorization_id, z.client_id,
        z.user_id, now() + c.clock_offset as at
      from authorizations z join clients c on c.id = z.client_id where z.id = $3::uuid
    )`),
};

// Finds each token by its hash regardless of statistics: with few clients, PostgreSQL would read all of a client's tokens.
// A token issued since the statement began violates the index of current tokens, which leaves out its user.
const refresh = {
  name: "refresh_in_one_statement",
  text: issuingText(
    `
    entitled as materialized (
      select a.position, a.access_hash, a.refresh_hash, r.authorization_id, r.client_id, r.user_id,
        now() + c.clock_offset as at
      from unnest($1::bytea[], $2::text[], $3::bytea[], $4::bytea[]) with ordinality
        as a (presented_hash, client_id, access_hash, refresh_hash, position)
      cross join lateral (select * from refresh_tokens where token_hash = a.presented_hash offset 0) r
      join lateral (select * from authorizations where id = r.authorization_id offset 0) z on z.revoked_at is null
      join clients c on c.id = r.client_id
      where r.client_id = a.client_id and r.expires_at > now() + c.clock_offset
        -- Run twice, it must not supersede what it has issued itself.
        and not exists (select from refresh_tokens where token_hash = a.refresh_hash offset 0)
    ), owners as materialized (
      select id from users where id = any (array(select user_id from entitled)) order by id for no key update skip locked
    ), selected as (
      select entitled.* from entitled join owners on owners.id = entitled.user_id
    )`,
    "on conflict do nothing",
  ),
};

const lockIssued = {
  name: "lock_issued_refresh_tokens",
  text: `
    select (a.position - 1)::int as index from unnest($1::bytea[]) with ordinality as a (refresh_hash, position)
    join refresh_tokens r on r.token_hash = a.refresh_hash
    for key share of r`,
};

// The conditions of `refresh`, one by one.
const findProblems = {
  name: "find_problems_of_refresh_tokens",
  text: `
    select case
      when r.token_hash is null then 'refresh_token_unknown'
      when r.client_id <> a.client_id then 'refresh_token_of_another_client'
      when z.revoked_at is not null then 'refresh_token_revoked'
      when r.expires_at <= now() + c.clock_offset then 'refresh_token_expired'
    end as problem
    from unnest($1::bytea[], $2::text[]) with ordinality as a (presented_hash, client_id, position)
    left join refresh_tokens r on r.token_hash = a.presented_hash
    left join authorizations z on z.id = r.authorization_id
    left join clients c on c.id = r.client_id
    order by a.position`,
};
