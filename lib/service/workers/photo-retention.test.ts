import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { ScreeningProvider } from "../../contract/providers.ts";
import { convertUserIntent } from "../operations/people/convert-user-intent.ts";
import { decideUser } from "../operations/people/decide-person.ts";
import { sweep } from "../operations/sweep.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { database, inTransaction } from "../storage/database.ts";
import { quarantineRows } from "../storage/quarantine.ts";
import { identitySubmissions, screenings, users } from "../storage/schema.ts";
import { replaceScreening } from "../storage/screenings.ts";
import { advanceClock, createTestClient, type TestClient } from "../testing/clients.ts";
import { screenDuePeople } from "../testing/due-work.ts";
import { insertTestIntent, insertTestPhotoId, insertTestUser } from "../testing/people.ts";
import { quarantined } from "../testing/quarantine.ts";
import { openTestVisit } from "../testing/visits.ts";

const { photoIdDecidedDays, photoIdUndecidedDays } = limits;

test.each([
  ["approved", photoIdDecidedDays],
  ["rejected", photoIdDecidedDays],
  ["suspended", photoIdDecidedDays],
  ["document", photoIdUndecidedDays],
] as const)("the photo ID of a person in status %s is kept for %i days", async (status, days) => {
  const client = await createTestClient();
  const { userId } = await insertTestUser(client, { status });
  const id = await insertTestPhotoId(client, userId);
  await passDays(client, days - 1);
  expect(await isKept(id)).toBe(true);
  await passDays(client, 2);
  expect(await isKept(id)).toBe(false);
});

test("a decision long after the upload starts the shorter retention", async () => {
  const client = await createTestClient();
  const { userId } = await insertTestUser(client, { status: "document" });
  const id = await insertTestPhotoId(client, userId);
  await passDays(client, photoIdUndecidedDays - 1);
  await decideUser(
    { id: userId, clientId: client.clientId, traceId: "a".repeat(32) },
    { status: "approved", rejectionReasons: [] },
  );
  await passDays(client, photoIdDecidedDays - 1);
  expect(await isKept(id)).toBe(true);
  await passDays(client, 2);
  expect(await isKept(id)).toBe(false);
});

test("another intent of a decided person doesn't keep their photo ID longer", async () => {
  const client = await createTestClient();
  const { userId, phone, email } = await insertTestUser(client, { status: "document" });
  const id = await insertTestPhotoId(client, userId);
  await decideUser(
    { id: userId, clientId: client.clientId, traceId: "a".repeat(32) },
    { status: "approved", rejectionReasons: [] },
  );
  await passDays(client, photoIdDecidedDays - 1);
  const { userIntentId = "" } = await insertTestIntent(client, { status: "pending", phone, email });
  expect((await inTransaction((tx) => convertUserIntent(tx, userIntentId))).kind).toBe("user");
  await passDays(client, 2);
  expect(await isKept(id)).toBe(false);
});

test("deleting a photo ends its pending screening: an operator decides, and the person isn't asked again", async () => {
  const { client, userId, userIntentId, id, phone, email } = await waitForScreening();
  await quarantineRows("screening", [{ id: userIntentId, reason: "the provider is down" }]);
  await passDays(client, photoIdUndecidedDays + 1);
  expect([await isKept(id), await countScreenings(userIntentId), await quarantined("screening")]).toEqual([
    false,
    0,
    0,
  ]);
  const key = await openTestVisit(client, { userId, phone, email });
  expect((await readVisit(key)).kind).not.toBe("document");
  const decided = await decideUser(
    { id: userId, clientId: client.clientId, traceId: "a".repeat(32) },
    { status: "approved", rejectionReasons: [] },
  );
  expect(decided.kind).toBe("decided");
});

test("a photo deleted after its screening was claimed isn't screened", async () => {
  const { id } = await waitForScreening();
  await database().update(identitySubmissions).set({ contentEncrypted: null }).where(eq(identitySubmissions.id, id));
  const questions: string[] = [];
  const ask: ScreeningProvider["ask"] = async (question) => {
    questions.push(question.id);
    return { kind: "undecided" };
  };
  await screenDuePeople({ ask, poll: async () => ({ kind: "undecided" }) });
  expect([questions, await quarantined("screening")]).toEqual([[], 0]);
});

/** A person in status document whose photo is due to be screened. */
async function waitForScreening() {
  const client = await createTestClient();
  const { clientId } = client;
  const { userIntentId = "", phone, email } = await insertTestIntent(client, { status: "document" });
  await openTestVisit(client, { userIntentId, phone, email });
  const [user] = await database().select({ id: users.id }).from(users).where(eq(users.phone, phone));
  const userId = user?.id ?? "";
  const id = await insertTestPhotoId(client, userId);
  await replaceScreening(database(), { userIntentId, clientId, identitySubmissionId: id, delayMs: 0 });
  return { client, userId, userIntentId, id, phone, email };
}

async function passDays(client: TestClient, days: number): Promise<void> {
  await advanceClock(client, days * 86_400);
  await sweep(new AbortController().signal);
}

async function isKept(id: string): Promise<boolean> {
  const [row] = await database().select().from(identitySubmissions).where(eq(identitySubmissions.id, id));
  if (!row) throw new Error("The submission's row is gone.");
  return row.contentEncrypted !== null;
}

function countScreenings(userIntentId: string): Promise<number> {
  return database().$count(screenings, eq(screenings.userIntentId, userIntentId));
}
