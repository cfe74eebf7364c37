import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UserStatus } from "../../contract/statuses.ts";
import { decryptBytes, decryptText } from "../../kit/secrets.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { serviceConfig } from "../config.ts";
import { applyScreening, decideUser, decideUserWithin } from "../operations/people/decide-person.ts";
import { authorizeVisit } from "../operations/visits/finish-visit.ts";
import type { VisitKey } from "../operations/visits/read-visit.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { correctIdentity, isPhotoIdAwaited, uploadPhotoId } from "../operations/visits/submit-identity.ts";
import { verifyCode } from "../operations/visits/verify-code.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { identitySubmissions, screenings, userIntents, users } from "../storage/schema.ts";
import { submissionContext } from "../storage/screenings.ts";
import { advanceClock, createTestClient, type TestClient } from "../testing/clients.ts";
import { bodiesOf } from "../testing/deliveries.ts";
import { insertTestIntent } from "../testing/people.ts";
import { openTestVisit, readTestCodes } from "../testing/visits.ts";
import { startScreening } from "./start-workers.ts";

let screening: WakeLoop;
beforeAll(async () => {
  screening = startScreening();
});
afterAll(() => screening.stop());

const right = { dateOfBirth: "1985-12-24", ssn: "587-65-4321" };
const photo = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);

describe("a person in status retry", () => {
  test("corrects two details between authentication and consent, and can consent during the screening", async () => {
    const { client, person, key, userId } = await arrive("retry");
    expect(await readVisit(key)).toEqual({ kind: "retry", clientName: "Harbor & Sons", problems: [] });
    expect(await correctIdentity(key, right)).toEqual({ kind: "sent" });
    expect(await readVisit(key)).toMatchObject({ kind: "consent", isBeingChecked: true });
    expect(await authorizeVisit(key)).toMatchObject({ kind: "authorized" });
    await pass(client);
    await becomes(userId, "approved");
    expect(await announced(client)).toMatchObject([
      { webhook_type: "user_intent_updated", user_id: userId, resource_id: person.userIntentId },
      { webhook_type: "user_updated", user_id: userId },
    ]);
  });

  test.each([
    ["587650001", "rejected"],
    ["587650003", "rejected"],
    ["587650004", "document"],
    ["587654321", "approved"],
  ] as const)("with ssn %s is %s, and never asked a second time", async (ssn, status) => {
    const { client, key, userId } = await arrive("retry");
    await correctIdentity(key, { ...right, ssn });
    await pass(client);
    await becomes(userId, status);
    const kind = { rejected: "not_permitted", document: "document", approved: "consent" }[status];
    expect((await readVisit(key)).kind).toBe(kind);
    expect(await announced(client)).toHaveLength(status === "document" ? 1 : 2);
  });

  test("with an ssn ending in 0002 waits for a manual decision and isn't asked again", async () => {
    const { client, key, userId } = await arrive("retry");
    await correctIdentity(key, { ...right, ssn: "587650002" });
    await pass(client);
    await expect.poll(() => countScreenings(client)).toBe(0);
    expect(await statusOf(userId)).toBe("retry");
    expect(await readVisit(key)).toMatchObject({ kind: "consent", isBeingChecked: true });
  });

  test("sees the problems, even after a reload, and nothing is stored", async () => {
    const { key, userId } = await arrive("retry");
    const problems = ["date_of_birth", "ssn"];
    expect(await correctIdentity(key, { dateOfBirth: "1985-02-30", ssn: "4321" })).toEqual({
      kind: "refused",
      problems,
    });
    expect(await readVisit(key)).toMatchObject({ kind: "retry", problems });
    expect(await submissionsOf(userId)).toEqual([]);
    expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    expect(await correctIdentity(key, right)).toEqual({ kind: "sent" });
  });

  test("cannot skip the step by calling Authorize", async () => {
    const { key } = await arrive("retry");
    expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    expect((await readVisit(key)).kind).toBe("retry");
  });

  test("is asked only after the verification code", async () => {
    const { client, person, userId } = await arrive("retry");
    const key = await openTestVisit(client, person, { loggedInSecondsAgo: 31 * 86_400 });
    expect(await correctIdentity(key, right)).toEqual({ kind: "not_waiting" });
    expect(await submissionsOf(userId)).toEqual([]);
    expect((await readVisit(key)).kind).toBe("verification_code");
    const [verificationCode = ""] = await readTestCodes(client, person.phone);
    await verifyCode(key, verificationCode);
    expect((await readVisit(key)).kind).toBe("retry");
  });

  // One person, one correction, from any number of tabs.
  test("submits once when two tabs submit ten times each", async () => {
    const { client, person, key, userId } = await arrive("retry");
    const otherVisit = await openTestVisit(client, person);
    const keys = Array.from({ length: 20 }, (_, index) => (index % 2 ? key : otherVisit));
    const outcomes = await Promise.all(keys.map((one) => correctIdentity(one, right)));
    expect(outcomes.filter(({ kind }) => kind === "sent")).toHaveLength(1);
    expect(await submissionsOf(userId)).toHaveLength(1);
    expect((await readVisit(otherVisit)).kind).toBe("consent");
  });

  test("cannot submit in an expired visit or with another visit's secret", async () => {
    const { client, person, key } = await arrive("retry");
    const otherVisit = await openTestVisit(client, person);
    expect(await correctIdentity({ ...key, visitSecret: otherVisit.visitSecret }, right)).toEqual({
      kind: "not_waiting",
    });
    await advanceClock(client, 30 * 60);
    expect(await correctIdentity(key, right)).toEqual({ kind: "not_waiting" });
    expect((await readVisit(key)).kind).toBe("expired");
  });
});

describe("a person in status document", () => {
  test("uploads a photo ID and is approved after the screening delay", async () => {
    const { client, person, key, userId } = await arrive("document");
    expect((await readVisit(key)).kind).toBe("document");
    expect(await isPhotoIdAwaited(key)).toBe(true);
    expect(await uploadPhotoId(key, photo)).toEqual({ kind: "sent" });
    expect(await isPhotoIdAwaited(key)).toBe(false);
    expect(await readVisit(key)).toMatchObject({ kind: "consent", isBeingChecked: true });
    expect(await statusOf(userId)).toBe("document");
    await pass(client);
    await becomes(userId, "approved");
    expect(await announced(client)).toMatchObject([
      { webhook_type: "user_intent_updated", resource_id: person.userIntentId },
      { webhook_type: "user_updated" },
    ]);
  });

  test.each([
    ["of another type", Uint8Array.from([1, 2, 3]), "photo_of_another_kind"],
    ["that is empty", new Uint8Array(), "photo_missing"],
    ["too large to be read", undefined, "photo_too_large"],
  ])("sees why a file %s is refused, and nothing is stored", async (_which, file, problem) => {
    const { client, key, userId } = await arrive("document");
    expect(await uploadPhotoId(key, file)).toEqual({ kind: "refused", problems: [problem] });
    expect(await readVisit(key)).toMatchObject({ kind: "document", problems: [problem] });
    expect(await submissionsOf(userId)).toEqual([]);
    expect(await countScreenings(client)).toBe(0);
  });

  test("is asked for a photo after a retry in the same visit", async () => {
    const { client, key, userId } = await arrive("retry");
    await correctIdentity(key, { ...right, ssn: "587650004" });
    await pass(client);
    await becomes(userId, "document");
    expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    expect(await correctIdentity(key, right)).toEqual({ kind: "not_waiting" });
    expect(await uploadPhotoId(key, photo)).toEqual({ kind: "sent" });
    await pass(client);
    await becomes(userId, "approved");
    expect(await announced(client)).toHaveLength(3);
  });
});

test("a submission is encrypted for its own row, under a key id", async () => {
  const { key, userId } = await arrive("retry");
  await correctIdentity(key, right);
  const [stored] = await submissionsOf(userId);
  if (!stored) throw new Error("nothing is stored");
  const { id, contentEncrypted } = stored;
  if (contentEncrypted === null) throw new Error("the submission has no content");
  const { keyring } = serviceConfig();
  expect(JSON.stringify(stored)).not.toMatch(/987-?65-?4321|1985-12-24/);
  const header = JSON.parse(Buffer.from(contentEncrypted.split(".")[0] ?? "", "base64url").toString());
  expect(header.kid).toBe(keyring[0].id);
  const identity = await decryptText(contentEncrypted, submissionContext(id), keyring);
  expect(JSON.parse(identity)).toEqual({ date_of_birth: "1985-12-24", ssn: "587654321" });
  await expect(decryptBytes(contentEncrypted, submissionContext(key.visitId), keyring)).rejects.toThrow();
});

test("a submission's screening doesn't override a manual decision", async () => {
  const { client, key, userId } = await arrive("retry");
  await correctIdentity(key, right);
  const byHand = { status: "document" as const, rejectionReasons: [] };
  await decideUser({ id: userId, clientId: client.clientId, traceId: "a".repeat(32) }, byHand);
  await pass(client);
  await expect.poll(() => countScreenings(client)).toBe(0);
  expect(await statusOf(userId)).toBe("document");
});

test("a correction that arrives during an operator's decision isn't kept", async () => {
  const { client, key, userId } = await arrive("retry");
  let correcting: Promise<unknown> | undefined;
  await inTransaction(async (tx) => {
    const byHand = { status: "approved" as const, rejectionReasons: [] };
    await decideUserWithin(tx, { id: userId, clientId: client.clientId, traceId: "a".repeat(32) }, byHand);
    correcting ??= correctIdentity(key, right);
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await expect.poll(async () => (await servicePool().query(waiting)).rowCount).toBe(1);
  });
  expect(await correcting).toEqual({ kind: "not_waiting" });
  expect([await submissionsOf(userId), await countScreenings(client)]).toEqual([[], 0]);
});

test("one submission's problems don't show on the next step", async () => {
  const { client, key, userId } = await arrive("retry");
  await correctIdentity(key, { ...right, ssn: "1" });
  const byHand = { status: "document" as const, rejectionReasons: [] };
  await decideUser({ id: userId, clientId: client.clientId, traceId: "a".repeat(32) }, byHand);
  expect(await readVisit(key)).toMatchObject({ kind: "document", problems: [] });
});

test("the result of a replaced screening changes nothing", async () => {
  const { client, person, key, userId } = await arrive("retry");
  await correctIdentity(key, right);
  const userIntentId = person.userIntentId ?? "";
  await applyScreening({ userIntentId }, { status: "rejected", rejectionReasons: [] });
  expect(await statusOf(userId)).toBe("retry");
  await pass(client);
  await becomes(userId, "approved");
});

/** A trusted person whose intent has this status, converted by opening a visit. */
async function arrive(status: "retry" | "document") {
  const client = await createTestClient();
  const person = await insertTestIntent(client, { status });
  const key: VisitKey = await openTestVisit(client, person);
  const [intent] = await database()
    .select({ userId: userIntents.userId })
    .from(userIntents)
    .where(eq(userIntents.id, person.userIntentId ?? ""));
  return { client, person, key, userId: intent?.userId ?? "" };
}

async function pass(client: TestClient): Promise<void> {
  await advanceClock(client, serviceConfig().screeningDelayMs / 1000);
  screening.wake();
}

function becomes(userId: string, status: UserStatus): Promise<void> {
  return expect.poll(() => statusOf(userId)).toBe(status);
}

async function statusOf(userId: string): Promise<UserStatus | undefined> {
  const [user] = await database().select({ status: users.status }).from(users).where(eq(users.id, userId));
  return user?.status;
}

function submissionsOf(userId: string) {
  return database().select().from(identitySubmissions).where(eq(identitySubmissions.userId, userId));
}

function countScreenings({ clientId: id }: TestClient): Promise<number> {
  return database().$count(screenings, sql`client_id = ${id}`);
}

function announced({ clientId: id }: TestClient) {
  return bodiesOf({ clientId: id });
}
