import { describe, expect, test } from "vitest";
import { resendVerificationCode } from "../../operations/visits/send-verification-code.ts";
import {
  advanceTestClock,
  insertTestClient,
  insertTestUser,
  openTestVisit,
  type TestClient,
} from "../../testing/authorization-pages.ts";
import { createSandboxApi } from "../../testing/sandbox-api.ts";

async function getMessages({ id, clientSecret }: TestClient, query: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${id}:${clientSecret}`).toString("base64")}`;
  const api = createSandboxApi();
  return api.fetch(new Request(`http://127.0.0.1:4000/sandbox/messages${query}`, { headers: { authorization } }));
}

async function sendTwoTexts() {
  const client = await insertTestClient();
  const person = await insertTestUser(client);
  const key = await openTestVisit(client, person, { loggedInSecondsAgo: 31 * 86_400 });
  await advanceTestClock(client, 30);
  await resendVerificationCode(key);
  return { client, query: `?phone=${encodeURIComponent(person.phone)}`, phone: person.phone };
}

describe("GET /sandbox/messages", () => {
  test("200: the texts that were sent to this phone, newest first", async () => {
    const { client, query, phone } = await sendTwoTexts();
    const response = await getMessages(client, query);
    expect(response.status).toBe(200);
    const { messages } = await response.json();
    expect(messages).toMatchObject([
      { phone, text: expect.stringMatching(/^Plainbook: \d{6} is your code/) },
      { phone, text: expect.stringMatching(/\d{6}/) },
    ]);
    expect(Date.parse(messages[0].sent_at) - Date.parse(messages[1].sent_at)).toBeGreaterThanOrEqual(30_000);
  });

  test("200: nothing of another client's people", async () => {
    const { query } = await sendTwoTexts();
    const response = await getMessages(await insertTestClient(), query);
    expect(await response.json()).toEqual({ messages: [] });
  });

  test.each(["", "?phone=12025550100", "?phone=%2B12025550100&limit=1"])("400: the query %j", async (query) => {
    expect((await getMessages(await insertTestClient(), query)).status).toBe(400);
  });

  test("401: without the client's secret", async () => {
    const { client, query } = await sendTwoTexts();
    expect((await getMessages({ ...client, clientSecret: "other" }, query)).status).toBe(401);
  });
});
