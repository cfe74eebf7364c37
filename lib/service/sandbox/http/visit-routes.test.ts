import { describe, expect, test } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { visitList } from "../../../contract/sandbox.ts";
import { authorizeVisit, cancelVisit } from "../../operations/visits/finish-visit.ts";
import { database } from "../../storage/database.ts";
import { listVisits } from "../../storage/visits.ts";
import { advanceClock, createTestClient, type TestClient } from "../../testing/clients.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { openTestVisit } from "../../testing/visits.ts";
import { resetClock } from "../clock.ts";

describe("GET /sandbox/visits", () => {
  test("200: newest first, each with its person, page, and status", async () => {
    const client = await createTestClient();
    const user = await insertTestUser(client);
    const intent = await insertTestIntent(client);
    const left = await openTestVisit(client, intent, { loggedInSecondsAgo: 31 * 86_400 });
    await advanceClock(client, limits.visitSeconds);
    const cancelled = await openTestVisit(client, intent);
    await cancelVisit(cancelled);
    const authorized = await openTestVisit(client, user);
    await authorizeVisit(authorized);
    const open = await openTestVisit(client, user);
    const shown = (await visitsOf(client)).map(({ id, status, step, user_id, user_intent_id }) => [
      id,
      status,
      step,
      user_id ?? user_intent_id,
    ]);
    expect(shown).toEqual([
      [open.visitId, "open", "consent", user.userId],
      [authorized.visitId, "finished", "finished", user.userId],
      [cancelled.visitId, "finished", "finished", intent.userIntentId],
      [left.visitId, "expired", "verification_code", intent.userIntentId],
    ]);
    const [first, second] = await visitsOf(client);
    expect(first).toMatchObject({ redirect_uri: client.redirectUri, user_intent_id: null, finished_at: null });
    expect(Date.parse(first?.expires_at ?? "") - Date.parse(first?.created_at ?? "")).toBe(limits.visitSeconds * 1000);
    expect(second?.finished_at).not.toBeNull();
  });

  test("200: none of another client", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await openTestVisit(otherClient, await insertTestUser(otherClient));
    expect(await visitsOf(client)).toEqual([]);
    expect(await visitsOf(otherClient)).toHaveLength(1);
  });

  test("the newest are found among many future-dated or ended ones", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const user = await insertTestUser(client);
    const open = async () => (await openTestVisit(client, user)).visitId;
    for (let round = 0; round < 3; round++) await open();
    await advanceClock(client, 30 * 86_400);
    const later = await openTestVisit(client, user);
    await authorizeVisit(later);
    for (let round = 0; round < 2; round++) await authorizeVisit(await openTestVisit(client, user));
    await resetClock(clientId);
    const newest = [await open(), await open()].toReversed();
    const listed = await listVisits(database(), { clientId, limit: 2 });
    expect(listed.map(({ id }) => id)).toEqual(newest);
  });

  test("401: without credentials", async () => {
    const { call } = await createTestClient();
    expect((await call("GET", "/sandbox/visits", { authorization: null })).status).toBe(401);
  });
});

async function visitsOf({ call }: TestClient) {
  const { status, json } = await call("GET", "/sandbox/visits");
  expect(status).toBe(200);
  return visitList.parse(json).visits;
}
