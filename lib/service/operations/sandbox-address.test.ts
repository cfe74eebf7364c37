import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { sha256 } from "../../kit/secrets.ts";
import { database, inTransaction } from "../storage/database.ts";
import { clients } from "../storage/schema.ts";
import { insertTestIntent } from "../testing/people.ts";
import { convertUserIntent } from "./people/convert-user-intent.ts";
import { refuseSandboxData } from "./refuse-sandbox-data.ts";

test("a person with the email address of a sandbox's business doesn't keep production from starting", async () => {
  const acme = { id: "acme", name: "Acme", secretHash: sha256("a secret"), redirectUris: [], provider: "acme" };
  await database()
    .insert(clients)
    .values({ ...acme, businessProfileId: newId() });
  const { userIntentId = "" } = await insertTestIntent({ clientId: "acme" } as never, {
    email: "operations@partner.example",
  });
  await inTransaction((tx) => convertUserIntent(tx, userIntentId));
  await expect(refuseSandboxData()).resolves.toBeUndefined();
});
