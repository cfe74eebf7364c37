import { type SQL, sql } from "drizzle-orm";
import { limits } from "../../../contract/limits.ts";
import type { TokenKind, TokenState } from "../../../contract/sandbox.ts";
import { clientTime } from "../../storage/clients.ts";
import type { Db } from "../../storage/database.ts";
import { newestByExpiry } from "../../storage/pagination.ts";

export type IssuedToken = {
  kind: TokenKind;
  tokenHash: Buffer;
  state: TokenState;
  userId: string | null;
  userIntentId: string | null;
  createdAt: Date;
  expiresAt: Date;
};

type IssuedTokenRow = Omit<IssuedToken, "createdAt" | "expiresAt"> & { createdAtMs: number; expiresAtMs: number };

/**
 * A client's newest tokens and codes, at most `limit` of each kind, newest first. Those from before a clock reset, dated in
 * the future, come last.
 */
export async function listNewestTokens(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<IssuedToken[]> {
  const now = clientTime(clientId);
  const newestFirst = sql`t.created_at > ${now}, t.created_at desc, t.token_hash`;
  const newest = (
    kind: TokenKind,
    table: string,
    lifeSeconds: number,
    { hash = sql`t.token_hash`, intent = sql`null::uuid`, isSpent = sql`false`, isSuperseded = sql`false` },
    isRevoked: SQL,
  ) => sql`(
    select ${kind}::text as kind, ${hash} as token_hash, t.user_id, ${intent} as user_intent_id, t.created_at, t.expires_at,
      case when ${isRevoked} then 'revoked' when ${isSpent} then 'spent' when t.expires_at <= ${now} then 'expired'
           when ${isSuperseded} then 'superseded' else 'live' end as state
    from ${newestByExpiry(table, { clientId, lifeSeconds, limit })} t
    order by t.created_at > ${now}, t.created_at desc, ${hash} limit ${limit})`;
  // Not "exists", which can make PostgreSQL read every revoked authorization.
  const isEnded = sql`(select z.revoked_at from authorizations z where z.id = t.authorization_id) is not null`;
  const kinds = [
    newest(
      "access_token",
      "access_tokens",
      limits.accessTokenSeconds,
      { isSuperseded: sql`t.superseded_at is not null` },
      isEnded,
    ),
    newest("refresh_token", "refresh_tokens", limits.refreshTokenSeconds, {}, isEnded),
    newest(
      "authorization_code",
      "authorization_codes",
      limits.authorizationCodeSeconds,
      { hash: sql`t.code_hash`, isSpent: sql`t.redeemed_at is not null` },
      isEnded,
    ),
    newest(
      "identity_verification_token",
      "identity_verification_tokens",
      limits.identityVerificationTokenSeconds,
      { intent: sql`t.user_intent_id`, isSpent: sql`t.spent_at is not null` },
      sql`false`,
    ),
  ];
  const { rows } = await db.execute<IssuedTokenRow>(sql`
    select t.kind, t.token_hash as "tokenHash", t.state, t.user_id as "userId", t.user_intent_id as "userIntentId",
      ${milliseconds("created_at")} as "createdAtMs", ${milliseconds("expires_at")} as "expiresAtMs"
    from (${sql.join(kinds, sql` union all `)}) t
    order by ${newestFirst}`);
  return rows.map(({ createdAtMs, expiresAtMs, ...token }) => ({
    ...token,
    createdAt: new Date(createdAtMs),
    expiresAt: new Date(expiresAtMs),
  }));
}

function milliseconds(column: string): SQL {
  return sql`(extract(epoch from t.${sql.identifier(column)}) * 1000)::float8`;
}

type TokensOfUser = { clientId: string; userId: string };

/** Expires a user's live access token, and returns how many there were. The user must be locked. */
export async function expireAccessToken(tx: Db, { clientId, userId }: TokensOfUser): Promise<number> {
  const now = clientTime(clientId);
  const { rowCount } = await tx.execute(sql`
    update access_tokens t set expires_at = ${now} from authorizations z
    where t.user_id = ${userId} and t.client_id = ${clientId} and t.superseded_at is null and t.expires_at > ${now}
      and z.id = t.authorization_id and z.revoked_at is null`);
  return rowCount ?? 0;
}

/**
 * Expires all of a user's live refresh tokens. The user must be locked. A refresh judges by the time it started, so the tokens
 * expire further in the past than any refresh can wait. A single-statement refresh that started earlier may not see this and
 * lock the user afterwards; rewriting the current access token unchanged makes its unique index reject that refresh. There
 * is no index by user, so this reads all live refresh tokens of the client.
 */
export async function expireRefreshTokens(tx: Db, { clientId, userId }: TokensOfUser): Promise<number> {
  const now = clientTime(clientId);
  const { rowCount } = await tx.execute(sql`
    update refresh_tokens t set expires_at = ${now} - interval '1 minute' from authorizations z
    where t.client_id = ${clientId} and t.expires_at > ${now} and t.user_id = ${userId}
      and z.id = t.authorization_id and z.revoked_at is null`);
  await tx.execute(sql`
    with taken as (delete from access_tokens where user_id = ${userId} and superseded_at is null returning *)
    insert into access_tokens select * from taken`);
  return rowCount ?? 0;
}

/** Revokes a user's authorizations, and returns how many live tokens ended with them. The user must be locked. */
export async function revokeTokensOfUser(tx: Db, { clientId, userId }: TokensOfUser): Promise<number> {
  const now = clientTime(clientId);
  const isOfUser = sql`t.client_id = ${clientId} and t.user_id = ${userId} and t.expires_at > ${now}`;
  const ofEnded = (table: string, isUsable: SQL) => sql`
    (select count(*) from ${sql.identifier(table)} t join ended on ended.id = t.authorization_id where ${isOfUser} and ${isUsable})`;
  // Locked in id order, as a clock reset does.
  const { rows } = await tx.execute<{ count: number }>(sql`
    with living as (
      select id from authorizations where client_id = ${clientId} and user_id = ${userId} and revoked_at is null
      order by id for no key update
    ), ended as (
      update authorizations set revoked_at = ${now} where id in (select id from living) returning id
    )
    select (${ofEnded("access_tokens", sql`t.superseded_at is null`)} + ${ofEnded("refresh_tokens", sql`true`)})::int as count`);
  return rows[0]?.count ?? 0;
}
