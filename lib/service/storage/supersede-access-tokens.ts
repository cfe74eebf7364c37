import { limits } from "../../contract/limits.ts";

// Published lifetimes, as PostgreSQL reads an interval.
const accessTokenLife = `${limits.accessTokenSeconds} seconds`;
const refreshTokenLife = `${limits.refreshTokenSeconds} seconds`;

/**
 * The text of a statement that issues a pair for each row of `selected`, and returns its place. The one place where access
 * tokens are superseded: of each user's, only the one of the last place is not. A unique index allows one current token a
 * user; `whenSecond` says what becomes of a second one.
 */
export function issuingText(selected: string, whenSecond: "" | "on conflict do nothing" = ""): string {
  return `
    with ${selected}, granted as (
      select *, row_number() over (partition by user_id order by place desc) = 1 as is_last from selected
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
    select (place - 1)::int as place from issued`;
}
