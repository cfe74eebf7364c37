import type { Connection } from "./database.ts";
import { runPrepared } from "./prepared.ts";
import { issuingText } from "./supersede-access-tokens.ts";

/** The hashes of a pair to be issued. */
export type NewTokenPair = { accessTokenHash: Buffer; refreshTokenHash: Buffer };

/**
 * Issues a pair under an authorization; its access token replaces the user's one before it at once. The user must be
 * locked (`lockUserTokens`).
 */
export async function insertTokenPair(
  connection: Connection,
  { accessTokenHash, refreshTokenHash, authorizationId }: NewTokenPair & { authorizationId: string },
): Promise<void> {
  await runPrepared(connection, issuePairForAuthorization, [accessTokenHash, refreshTokenHash, authorizationId]);
}

/** One refresh: whose token is shown, and the hashes of the pair to issue for it. */
export type Refresh = NewTokenPair & { clientId: string; shownTokenHash: Buffer };

/**
 * Issues a pair for each refresh whose token is this client's, not expired, and of an authorization that has not ended, in one
 * statement that is a transaction by itself. Returns their places in the set. Refreshes of one user count as one after
 * another: the last one's access token is the valid one, every refresh token lives. Users whom another transaction holds, or
 * who were issued a token after the statement began, are left out without a trace.
 */
export async function insertTokenPairsOfRefreshes(
  connection: Connection,
  refreshes: readonly Refresh[],
): Promise<Set<number>> {
  const rows = await runPrepared<{ place: number }>(connection, refresh, [
    refreshes.map(({ shownTokenHash }) => shownTokenHash),
    refreshes.map(({ clientId }) => clientId),
    refreshes.map(({ accessTokenHash }) => accessTokenHash),
    refreshes.map(({ refreshTokenHash }) => refreshTokenHash),
  ]);
  return placesOf(rows);
}

/** The places of those refreshes for which a pair was issued, its row locked. */
export async function lockIssuedPairs(
  connection: Connection,
  refreshes: readonly Pick<NewTokenPair, "refreshTokenHash">[],
): Promise<Set<number>> {
  const hashes = refreshes.map(({ refreshTokenHash }) => refreshTokenHash);
  return placesOf(await runPrepared(connection, lockIssued, [hashes]));
}

function placesOf(rows: { place: number }[]): Set<number> {
  return new Set(rows.map(({ place }) => place));
}

/** Why a refresh token is refused. An expired one is unknown once it has been deleted. */
export type RefreshTokenProblem =
  | "refresh_token_unknown"
  | "refresh_token_of_another_client"
  | "refresh_token_revoked"
  | "refresh_token_expired";

/** What is wrong with each of these refreshes, in their order; undefined where nothing is. */
export async function findProblemsOfRefreshTokens(
  connection: Connection,
  refreshes: readonly Refresh[],
): Promise<(RefreshTokenProblem | undefined)[]> {
  const rows = await runPrepared<{ problem: RefreshTokenProblem | null }>(connection, findProblems, [
    refreshes.map(({ shownTokenHash }) => shownTokenHash),
    refreshes.map(({ clientId }) => clientId),
  ]);
  return rows.map(({ problem }) => problem ?? undefined);
}

const issuePairForAuthorization = {
  name: "issue_pair_for_authorization",
  text: issuingText(`
    selected as (
      select 1 as place, $1::bytea as access_hash, $2::bytea as refresh_hash, z.id as authorization_id, z.client_id,
        z.user_id, now() + c.clock_offset as at
      from authorizations z join clients c on c.id = z.client_id where z.id = $3::uuid
    )`),
};

// Each token is looked up by its hash, whatever the statistics say: with few clients counted, PostgreSQL would take the index
// that sweeps expired tokens and read all tokens of a client. The statement is older than its locks and may not see a token
// issued in between; the index that allows one current token per user does, and leaves that user out.
const refresh = {
  name: "refresh_in_one_statement",
  text: issuingText(
    `
    entitled as materialized (
      select a.place, a.access_hash, a.refresh_hash, r.authorization_id, r.client_id, r.user_id,
        now() + c.clock_offset as at
      from unnest($1::bytea[], $2::text[], $3::bytea[], $4::bytea[]) with ordinality
        as a (shown_hash, client_id, access_hash, refresh_hash, place)
      cross join lateral (select * from refresh_tokens where token_hash = a.shown_hash offset 0) r
      join authorizations z on z.id = r.authorization_id and z.revoked_at is null
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
    select (a.place - 1)::int as place from unnest($1::bytea[]) with ordinality as a (refresh_hash, place)
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
    from unnest($1::bytea[], $2::text[]) with ordinality as a (shown_hash, client_id, place)
    left join refresh_tokens r on r.token_hash = a.shown_hash
    left join authorizations z on z.id = r.authorization_id
    left join clients c on c.id = r.client_id
    order by a.place`,
};
