import { and, desc, eq, gt, isNull, not, notInArray, type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import type { RejectionReason } from "../../contract/people.ts";
import type { UserIntentStatus, UserStatus } from "../../contract/statuses.ts";
import { uuid } from "../../contract/text.ts";
import { sha256 } from "../../kit/secrets.ts";
import { inCellOfId, perCell } from "../cells.ts";
import type { IdentitySubmissionKind, SubmissionProblem } from "../domain/identity-submission.ts";
import { clientTime, clientTimeOfInsert, timeAfter } from "./clients.ts";
import { type ClientListOptions, type Db, database, inTransaction, type RowOfClient } from "./database.ts";
import { newestByExpiry } from "./pagination.ts";
import { clients, identitySubmissions, userIntents, users, visits } from "./schema.ts";

// Decision D15: lifetimes use the client's clock.
const clientNow = timeAfter(sql`${clients.clockOffset}`);
// Whether a requested submission hasn't arrived.
const isSubmissionAwaited = sql`(${users.status} in ('retry', 'document') and not exists (
  select from ${identitySubmissions}
  where ${identitySubmissions.userId} = ${users.id} and ${identitySubmissions.kind} = ${users.status}))`;
// Decision D23: a visit goes on only for an enabled client, to an address that's still registered.
export const isClientReady = sql`(${clients.disabledAt} is null and ${visits.redirectUri} = any(${clients.redirectUris}))`;
const seconds = (count: number) => sql`make_interval(secs => ${count})`;

/** Exactly one is set, as named by the client. */
export type VisitPerson = { userIntentId: string | null; userId: string | null };

/** Undefined if the intent or user doesn't exist. `userId` is null before conversion. */
export async function findVisitPerson(db: Db, clientId: string, { userIntentId, userId }: VisitPerson) {
  if (userId !== null) {
    const [row] = await db
      .select({ userId: users.id, phone: users.phone })
      .from(users)
      .where(and(eq(users.id, userId), eq(users.clientId, clientId)));
    return row;
  }
  if (userIntentId === null) return undefined;
  const [row] = await db
    .select({ userId: userIntents.userId, phone: sql<string>`coalesce(${users.phone}, ${userIntents.phone})` })
    .from(userIntents)
    .leftJoin(users, eq(users.id, userIntents.userId))
    .where(and(eq(userIntents.id, userIntentId), eq(userIntents.clientId, clientId)));
  return row;
}

/** Expires after `limits.visitSeconds` by the client's clock. */
export type NewVisit = VisitPerson &
  Pick<
    typeof visits.$inferSelect,
    "id" | "clientId" | "secretHash" | "redirectUri" | "state" | "codeChallenge" | "traceId"
  > & { isAuthenticated: boolean };

/** Starts at consent if the person is authenticated, otherwise at the verification code. */
export async function insertVisit(db: Db, { isAuthenticated, ...visit }: NewVisit): Promise<void> {
  const now = clientTimeOfInsert(visit.clientId);
  await db.insert(visits).values({
    ...visit,
    step: isAuthenticated ? "consent" : "verification_code",
    authenticatedAt: isAuthenticated ? now : null,
    expiresAt: sql`${now} + ${seconds(limits.visitSeconds)}`,
    createdAt: now,
  });
}

/** The id from the URL and the secret from the visit's cookie. */
export type VisitKey = { visitId: string; visitSecret: string };

/** A transaction in the visit's cell. */
export function inVisitTransaction<T>({ visitId }: VisitKey, work: (tx: Db) => Promise<T>): Promise<T> {
  return inCellOfId(visitId, () => inTransaction(work));
}

/** Whether this key opens the visit; a malformed key opens none. */
export function matchesVisitKey({ visitId, visitSecret }: VisitKey): SQL | undefined {
  if (!uuid.safeParse(visitId).success) return sql`false`;
  return and(eq(visits.id, visitId), eq(visits.secretHash, sha256(visitSecret)));
}

/** A visit with its deadlines judged by the client's clock. Its step is `withdrawn` while its client isn't ready. */
export type Visit = Awaited<ReturnType<typeof selectVisit>>[number];

function selectVisit(db: Db, isWanted: SQL | undefined) {
  return db
    .select({
      id: visits.id,
      clientId: visits.clientId,
      clientName: clients.name,
      userIntentId: visits.userIntentId,
      // null before conversion
      userId: users.id,
      userType: users.userType,
      step: sql<
        typeof visits.$inferSelect.step | "withdrawn"
      >`case when ${isClientReady} then ${visits.step} else 'withdrawn' end`,
      redirectUri: visits.redirectUri,
      state: visits.state,
      traceId: visits.traceId,
      problems: visits.problems,
      awaitedSubmission: sql<IdentitySubmissionKind | null>`case when ${isSubmissionAwaited} then ${users.status} end`,
      isExpired: sql<boolean>`${visits.expiresAt} <= ${clientNow}`,
      verificationCodeHash: visits.verificationCodeHash,
      verificationCodeTries: visits.verificationCodeTries,
      isVerificationCodeSent: sql<boolean>`${visits.verificationCodeSentAt} is not null`,
      isVerificationCodeExpired: sql<boolean>`coalesce(${visits.verificationCodeExpiresAt} <= ${clientNow}, true)`,
      isVerificationCodeResent: sql<boolean>`coalesce(${visits.verificationCodeSentAt} > ${visits.createdAt}, false)`,
      // Whole seconds, rounded up; 0 when a new code may be sent.
      resendSeconds: sql<number>`greatest(0, ceil(extract(epoch from
        ${visits.verificationCodeSentAt} + ${seconds(limits.verificationCodeResendSeconds)} - (${clientNow}))))::int`,
      status: sql<UserStatus | UserIntentStatus>`coalesce(${users.status}, ${userIntents.status})`,
      firstName: sql<string>`coalesce(${users.firstName}, ${userIntents.firstName})`,
      lastName: sql<string>`coalesce(${users.lastName}, ${userIntents.lastName})`,
      email: sql<string>`coalesce(${users.email}, ${userIntents.email})`,
      phone: sql<string>`coalesce(${users.phone}, ${userIntents.phone})`,
      rejectionReasons: sql<RejectionReason[]>`coalesce(${users.rejectionReasons}, ${userIntents.rejectionReasons})`,
    })
    .from(visits)
    .innerJoin(clients, eq(clients.id, visits.clientId))
    .leftJoin(userIntents, eq(userIntents.id, visits.userIntentId))
    .leftJoin(users, sql`${users.id} = coalesce(${visits.userId}, ${userIntents.userId})`)
    .where(isWanted);
}

const findPrepared = perCell("service.find_visit", () => {
  const isOpened = and(eq(visits.id, sql.placeholder("visitId")), eq(visits.secretHash, sql.placeholder("secretHash")));
  return selectVisit(database(), isOpened).prepare("find_visit");
});

/** Prepared, because each authorization page reads it. */
export async function findVisitByKey({ visitId, visitSecret }: VisitKey): Promise<Visit | undefined> {
  if (!uuid.safeParse(visitId).success) return undefined;
  const [visit] = await findPrepared().execute({ visitId, secretHash: sha256(visitSecret) });
  return visit;
}

export async function lockVisitByKey(tx: Db, key: VisitKey): Promise<Visit | undefined> {
  const [visit] = await selectVisit(tx, matchesVisitKey(key)).for("update", { of: visits });
  return visit;
}

/** With its visit's id, and the id of its text. */
type NewVerificationCode = {
  id: string;
  clientId: string;
  verificationCodeHash: Buffer;
  verificationMessageId: string;
};

/** Replaces the verification code and resets its tries. */
export async function replaceVerificationCode(db: Db, { id, clientId, ...code }: NewVerificationCode): Promise<void> {
  const now = clientTime(clientId);
  await db
    .update(visits)
    .set({
      ...code,
      verificationCodeTries: 0,
      verificationCodeSentAt: now,
      verificationCodeExpiresAt: sql`${now} + ${seconds(limits.verificationCodeSeconds)}`,
    })
    .where(eq(visits.id, id));
}

export async function countVerificationTry(db: Db, visitId: string): Promise<void> {
  await db
    .update(visits)
    .set({ verificationCodeTries: sql`${visits.verificationCodeTries} + 1` })
    .where(eq(visits.id, visitId));
}

/** The next step is consent; the code is deleted. */
export async function markVisitAuthenticated(db: Db, { id, clientId }: RowOfClient): Promise<void> {
  await db
    .update(visits)
    .set({ step: "consent", authenticatedAt: clientTime(clientId), verificationCodeHash: null })
    .where(eq(visits.id, id));
}

/** Empty after a valid submission. */
export async function replaceVisitProblems(db: Db, visitId: string, problems: SubmissionProblem[]): Promise<void> {
  await db.update(visits).set({ problems }).where(eq(visits.id, visitId));
}

/** Whether this key opens a visit, joined with its client, that isn't finished, expired or withdrawn. */
function isOpen(key: VisitKey): SQL | undefined {
  const isUnfinished = and(isNull(visits.finishedAt), gt(visits.expiresAt, clientNow));
  return and(matchesVisitKey(key), isUnfinished, eq(clients.id, visits.clientId), isClientReady);
}

const finishedVisit = {
  clientId: visits.clientId,
  userIntentId: visits.userIntentId,
  redirectUri: visits.redirectUri,
  state: visits.state,
  traceId: visits.traceId,
};

/**
 * Finishes a visit whose person may consent: authenticated, not expired or withdrawn, not rejected or suspended, and no
 * submission awaited. One statement, so only one of two concurrent consents gets the row.
 */
export async function redeemVisit(db: Db, key: VisitKey) {
  const [row] = await db
    .update(visits)
    .set({ step: "finished", finishedAt: clientNow })
    .from(clients)
    .innerJoin(users, eq(users.clientId, clients.id))
    .where(
      and(
        isOpen(key),
        eq(visits.step, "consent"),
        sql`${users.id} = coalesce(${visits.userId}, (
          select ${userIntents.userId} from ${userIntents} where ${userIntents.id} = ${visits.userIntentId}))`,
        notInArray(users.status, ["rejected", "suspended"]),
        not(isSubmissionAwaited),
      ),
    )
    .returning({ ...finishedVisit, userId: users.id, codeChallenge: visits.codeChallenge });
  return row;
}

/** Finishes a visit without consent; undefined if it's finished, expired or withdrawn. */
export async function finishVisit(db: Db, key: VisitKey) {
  const [row] = await db
    .update(visits)
    .set({ step: "finished", finishedAt: clientNow, verificationCodeHash: null })
    .from(clients)
    .where(isOpen(key))
    .returning({ ...finishedVisit, userId: visits.userId });
  return row;
}

/** Newest first, with `isExpired` by the client's clock. */
export function listVisits(db: Db, { clientId, limit }: ClientListOptions) {
  const newest = newestByExpiry("visits", { clientId, lifeSeconds: limits.visitSeconds, limit });
  const { id, userIntentId, userId, step, redirectUri, traceId, createdAt, expiresAt, finishedAt } = visits;
  const isExpired = sql<boolean>`${visits.expiresAt} <= ${clientTime(clientId)}`;
  return db
    .select({ id, userIntentId, userId, step, redirectUri, traceId, createdAt, expiresAt, finishedAt, isExpired })
    .from(visits)
    .where(sql`${visits.id} in (select id from ${newest} newest)`)
    .orderBy(desc(visits.id))
    .limit(limit);
}

export type ListedVisit = Awaited<ReturnType<typeof listVisits>>[number];

/** Without checking the visit's secret. */
export async function findVisitRedirectUri(db: Db, visitId: string): Promise<string | undefined> {
  const [row] = await db.select({ redirectUri: visits.redirectUri }).from(visits).where(eq(visits.id, visitId));
  return row?.redirectUri;
}
