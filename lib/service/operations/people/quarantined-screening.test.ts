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
import { insertTestIntent, insertTestPhotoId } from "../../testing/people.ts";
import { quarantined } from "../../testing/quarantine.ts";
import { convertUserIntent } from "./convert-user-intent.ts";
import { screenDuePeople } from "./screen-people.ts";

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
  const ask = async () => {
    if (isDown) throw new Error("The provider is down.");
    return { kind: "pending" as const, reference: "case-1" };
  };
  // Nothing to wait for: the quarantine has its own clock.
  expect(await screenDuePeople({ ask, poll: ask })).toBeUndefined();
  expect(await quarantined("screening")).toBe(1);
  isDown = false;
  await servicePool().query("update quarantine set retry_real_at = now()");
  const nextMs = await screenDuePeople({ ask, poll: ask });
  expect(nextMs).toBeGreaterThan(0);
  expect(nextMs).toBeLessThanOrEqual(30_000);
  expect((await servicePool().query("select reference from screenings")).rows).toEqual([{ reference: "case-1" }]);
  expect(await quarantined("screening")).toBe(0);
});

test("a new submission inherits no pause, reference or worker of the question it replaces", async () => {
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

test("screening is as late as its oldest due person, not its newest", async () => {
  const { userIntentId: later } = await insertTestIntent(client, { status: "pending" });
  await database().execute(sql`
    insert into screenings (user_intent_id, client_id, due_real_at)
    values (${later}, ${client.clientId}, now() - interval '1 minute')`);
  await servicePool().query("update screenings set due_real_at = now() - interval '1 hour' where user_intent_id = $1", [
    userIntentId,
  ]);
  expect(await findOldestDueScreening(database())).toBeGreaterThanOrEqual(3600);
});
