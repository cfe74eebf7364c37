import { describe, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { resendVerificationCode } from "../../operations/visits/verify-code.ts";
import { servicePool } from "../../storage/database.ts";
import { advanceClock, createTestClient } from "../../testing/clients.ts";
import { insertTestUser } from "../../testing/people.ts";
import { openTestVisit } from "../../testing/visits.ts";

async function sendTwoTexts() {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const key = await openTestVisit(client, person, { loggedInSecondsAgo: 31 * 86_400 });
  await advanceClock(client, 30);
  await resendVerificationCode(key);
  return { client, path: `/sandbox/messages?phone=${encodeURIComponent(person.phone)}`, phone: person.phone };
}

describe("GET /sandbox/messages", () => {
  test("200: texts sent to this phone, newest first", async () => {
    const { client, path, phone } = await sendTwoTexts();
    const { status, json } = await client.call("GET", path);
    expect(status).toBe(200);
    const messages = json["messages"] as { sent_at: string }[];
    expect(messages).toMatchObject([
      { phone, text: expect.stringMatching(/^Plainbook: \d{6} is your code/) },
      { phone, text: expect.stringMatching(/\d{6}/) },
    ]);
    const [newer = 0, older = 0] = messages.map((message) => Date.parse(message.sent_at));
    expect(newer - older).toBeGreaterThanOrEqual(30_000);
  });

  test("200: a text that can't be decrypted hides no other", async () => {
    const { client, path } = await sendTwoTexts();
    await servicePool().query(
      `update messages set text_encrypted = 'unreadable' where id = (
         select id from messages where client_id = $1 order by id limit 1)`,
      [client.clientId],
    );
    const { status, json } = await client.call("GET", path);
    expect([status, json["messages"]]).toMatchObject([
      200,
      [{ text: expect.stringMatching(/\d{6}/) }, { text: "This text can’t be decrypted." }],
    ]);
  });

  test("200: nothing from another client's people", async () => {
    const { path } = await sendTwoTexts();
    const otherClient = await createTestClient();
    expect((await otherClient.call("GET", path)).json).toEqual({ messages: [] });
  });

  test.each(["", "?phone=12025550100", "?phone=%2B12025550100&limit=1"])("400: the query %j", async (query) => {
    const { call } = await createTestClient();
    expect((await call("GET", `/sandbox/messages${query}`)).status).toBe(400);
  });

  test("401: without the client's secret", async () => {
    const { client, path } = await sendTwoTexts();
    const authorization = basicCredentials(client.clientId, "other");
    expect((await client.call("GET", path, { authorization })).status).toBe(401);
  });
});
