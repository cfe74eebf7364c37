import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { database, inTransaction, servicePool } from "../../storage/database.ts";
import { quarantineRows } from "../../storage/quarantine.ts";
import {
  claimDueScreenings,
  findOldestDueScreening,
  postponeScreening,
  replaceScreening,
} from "../../storage/screenings.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { screenDuePeople } from "../../testing/due-work.ts";
import { insertTestIntent, insertTestPhotoId } from "../../testing/people.ts";
import { quarantined } from "../../testing/quarantine.ts";
import { convertUserIntent } from "./convert-user-intent.ts";

let client: TestClient;
let userIntentId: string;
beforeEach(async () => {
  await servicePool().query("delete from quarantine; delete from screenings");
  client = await createTestClient();
  ({ userIntentId = "" } = await insertTestIntent(client, { status: "pending" }));
  await database().execute(sql`
    insert into screenings (user_intent_id, client_id, due_real_at) values (${userIntentId}, ${client.clientId}, now())`);
});

test("a failed screening leaves the quarantine once its provider answers that it decides later", async () => {
  let isDown = true;
  const answer = async () => {
    if (isDown) throw new Error("The provider is down.");
    return { kind: "pending" as const, reference: "case-1" };
  };
  // Nothing to wait for, because the quarantine has its own clock.
  expect(await screenDuePeople({ ask: answer, poll: answer })).toBeUndefined();
  expect(await quarantined("screening")).toBe(1);
  isDown = false;
  await servicePool().query("update quarantine set retry_real_at = now()");
  const nextMs = await screenDuePeople({ ask: answer, poll: answer });
  expect(nextMs).toBeGreaterThan(0);
  expect(nextMs).toBeLessThanOrEqual(30_000);
  expect((await servicePool().query("select reference from screenings")).rows).toEqual([{ reference: "case-1" }]);
  expect(await quarantined("screening")).toBe(0);
});

test("a new submission doesn't inherit its predecessor's backoff, reference or lease", async () => {
  const conversion = await inTransaction((tx) => convertUserIntent(tx, userIntentId));
  const userId = conversion.kind === "user" ? conversion.user.id : "";
  await quarantineRows("screening", [{ id: userIntentId, reason: "The provider is down." }]);
  await servicePool().query("update quarantine set retry_real_at = now() + interval '1 hour'");
  await servicePool().query(
    "update screenings set reference = 'case-1', polls = 5, leased_until_real_at = now() + interval '1 hour'",
  );
  const identitySubmissionId = await insertTestPhotoId(client, userId);
  const { clientId } = client;
  await replaceScreening(database(), { userIntentId, clientId, identitySubmissionId, delayMs: 0 });
  expect(await claimDueScreenings(database(), { limit: 10, leaseMs: 1000 })).toMatchObject([
    { identitySubmissionId, reference: null },
  ]);
  await postponeScreening(database(), { userIntentId, identitySubmissionId, reference: "case-2" });
  const { rows } = await servicePool().query(
    "select extract(epoch from due_real_at - now()) as seconds from screenings",
  );
  expect(Number(rows[0]?.seconds)).toBeLessThanOrEqual(30);
});

test("the polling backoff grows to an hour at most", async () => {
  const pauses: number[] = [];
  for (const polls of [6, 7, 30, 999]) {
    await servicePool().query("update screenings set polls = $1", [polls]);
    await postponeScreening(database(), { userIntentId, identitySubmissionId: null, reference: "case-1" });
    const { rows } = await servicePool().query(
      "select extract(epoch from due_real_at - now()) as seconds from screenings",
    );
    pauses.push(Math.ceil(Number(rows[0]?.seconds) / 60));
  }
  expect(pauses).toEqual([32, 60, 60, 60]);
});

test("the most overdue person is screened first, and determines the reported lag", async () => {
  const { userIntentId: longest } = await insertTestIntent(client, { status: "pending" });
  await database().execute(sql`
    insert into screenings (user_intent_id, client_id, due_real_at)
    values (${longest}, ${client.clientId}, now() - interval '1 hour')`);
  expect(await findOldestDueScreening(database())).toBeGreaterThanOrEqual(3600);
  expect(await claimDueScreenings(database(), { limit: 1, leaseMs: 1000 })).toMatchObject([{ userIntentId: longest }]);
});
