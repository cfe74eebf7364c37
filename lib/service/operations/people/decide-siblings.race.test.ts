import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { database, inTransaction, servicePool } from "../../storage/database.ts";
import { userIntents } from "../../storage/schema.ts";
import { createTestClient } from "../../testing/clients.ts";
import { insertTestIntent } from "../../testing/people.ts";
import { convertUserIntent } from "./convert-user-intent.ts";
import { decideUserIntent } from "./decide-person.ts";

test("a decision about an intent that is just joining a user decides the user's other intents too", async () => {
  const client = await createTestClient();
  const { userIntentId: first = "", phone, email } = await insertTestIntent(client, { status: "pending" });
  await inTransaction((tx) => convertUserIntent(tx, first));
  const { userIntentId: id = "" } = await insertTestIntent(client, { status: "pending", phone, email });
  let deciding: Promise<unknown> | undefined;
  await inTransaction(async (tx) => {
    await convertUserIntent(tx, id);
    deciding ??= decideUserIntent({ id, clientId: client.clientId }, { status: "approved", rejectionReasons: [] });
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await expect.poll(async () => (await servicePool().query(waiting)).rowCount).toBe(1);
  });
  expect(await deciding).toEqual({ kind: "decided" });
  const rows = await database().select().from(userIntents).where(eq(userIntents.phone, phone));
  expect(rows.map(({ status }) => status)).toEqual(["approved", "approved"]);
});
