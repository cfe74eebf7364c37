import { and, desc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { limits } from "../../contract/limits.ts";
import { clientTimeOfInsert, timeAfter } from "./clients.ts";
import type { Db } from "./database.ts";
import { clients, identityVerificationTokens } from "./schema.ts";

type Token = typeof identityVerificationTokens.$inferSelect;

export type SpentIdentityVerificationToken = Pick<Token, "userIntentId" | "userId" | "traceId"> & {
  isTrusted: boolean;
};

/**
 * Redeems a session token once: of several concurrent uses, one gets the row. Undefined if the token is unknown, used,
 * expired or another client's. Judges trust at this moment (Decision D11).
 */
export async function redeemIdentityVerificationToken(
  db: Db,
  { tokenHash, clientId }: { tokenHash: Buffer; clientId: string },
): Promise<SpentIdentityVerificationToken | undefined> {
  const clientNow = timeAfter(sql`${clients.clockOffset}`);
  const [row] = await db
    .update(identityVerificationTokens)
    .set({ spentAt: clientNow })
    .from(clients)
    .where(
      and(
        eq(identityVerificationTokens.tokenHash, tokenHash),
        eq(identityVerificationTokens.clientId, clientId),
        eq(clients.id, identityVerificationTokens.clientId),
        isNull(identityVerificationTokens.spentAt),
        gt(identityVerificationTokens.expiresAt, clientNow),
      ),
    )
    .returning({
      userIntentId: identityVerificationTokens.userIntentId,
      userId: identityVerificationTokens.userId,
      traceId: identityVerificationTokens.traceId,
      isTrusted: isTrustedAt(identityVerificationTokens.spentAt),
    });
  return row;
}

export type SessionTokenProblem =
  | "session_token_unknown"
  | "session_token_of_another_client"
  | "session_token_spent"
  | "session_token_expired";

/** Why a token could not be redeemed. Expired tokens become unknown when swept. */
export async function findSessionTokenProblem(
  db: Db,
  { tokenHash, clientId }: { tokenHash: Buffer; clientId: string },
): Promise<SessionTokenProblem> {
  const [token] = await db
    .select({ clientId: identityVerificationTokens.clientId, spentAt: identityVerificationTokens.spentAt })
    .from(identityVerificationTokens)
    .where(eq(identityVerificationTokens.tokenHash, tokenHash));
  if (!token) return "session_token_unknown";
  if (token.clientId !== clientId) return "session_token_of_another_client";
  return token.spentAt === null ? "session_token_expired" : "session_token_spent";
}

export type NewIdentityVerificationToken = Omit<Token, "createdAt" | "expiresAt" | "spentAt">;

/** Expiry and trust are by the client's clock (Decision D11). */
export async function insertIdentityVerificationToken(
  db: Db,
  token: NewIdentityVerificationToken,
): Promise<{ expiresAt: Date; isTrusted: boolean }> {
  const now = clientTimeOfInsert(token.clientId);
  const { clientId, createdAt, expiresAt, tokenHash } = identityVerificationTokens;
  await db.insert(identityVerificationTokens).values({
    ...token,
    createdAt: now,
    expiresAt: sql`${now} + make_interval(secs => ${limits.identityVerificationTokenSeconds})`,
  });
  const [row] = await db
    .select({ expiresAt, isTrusted: isTrustedAt(createdAt) })
    .from(identityVerificationTokens)
    .innerJoin(clients, eq(clients.id, clientId))
    .where(eq(tokenHash, token.tokenHash));
  if (!row) throw new Error("An insert must return its row.");
  return row;
}

export async function findNewestVerifiedCustomer(db: Db, clientId: string): Promise<string | undefined> {
  const { customerId, expiresAt } = identityVerificationTokens;
  const [row] = await db
    .select({ customerId })
    .from(identityVerificationTokens)
    .where(eq(identityVerificationTokens.clientId, clientId))
    .orderBy(desc(expiresAt))
    .limit(1);
  return row?.customerId;
}

/**
 * Whether a login is trusted at this moment, as SQL over a session token and its client: trusted authentication is enabled, and
 * the login is recent and not in the future, with some clock skew ("Authentication" 6, Decision D11).
 */
function isTrustedAt(moment: PgColumn): SQL<boolean> {
  const utc = sql`(${moment} at time zone 'UTC')`;
  const login = sql`(${identityVerificationTokens.lastAuthenticationAt} at time zone 'UTC')`;
  return sql<boolean>`${clients.isTrustedAuthenticationEnabled}
    and ${login} >= ${utc} - make_interval(days => ${limits.trustedAuthenticationDays})
    and ${login} <= ${utc} + make_interval(secs => ${limits.trustedAuthenticationAheadSeconds})`;
}
