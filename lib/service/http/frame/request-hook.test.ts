import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { database } from "../../storage/database.ts";
import { clients } from "../../storage/schema.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { createServiceApi } from "../app.ts";
import type { AnsweredRequest, RequestHook } from "./answer-request.ts";

const path = "/v1/user_intent/0198c0de-0000-7000-8000-000000000000";

test("a hook wraps only calls of intercepted clients, and sees every response", async () => {
  const client = await createTestClient();
  const { get, wrapped, seen } = apiWithHook(async (_call, next) => next());

  expect((await get(client)).status).toBe(404);
  expect([wrapped, seen.map(({ status }) => status)]).toEqual([[], [404]]);

  await intercept(client);
  expect((await get(client)).status).toBe(404);
  expect((await get(client, "wrong")).status).toBe(401);
  expect(wrapped).toEqual([{ operation: "readUserIntent", clientId: client.clientId, who: "client" }]);
  expect(seen.map(({ status, reason }) => [status, reason])).toEqual([
    [404, "not_found"],
    [404, "not_found"],
    [401, "invalid_client"],
  ]);
});

test("a hook can respond without running the operation", async () => {
  const client = await createTestClient();
  await intercept(client);
  const { get, seen } = apiWithHook(async () => ({ refuse: "unavailable", cause: "test" }));
  const answer = await get(client);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(seen).toMatchObject([{ status: 503, reason: "unavailable" }]);
});

test("a thrown refusal reaches the hook as an outcome, and a dropped one is never sent", async () => {
  const client = await createTestClient();
  await intercept(client);
  const { get, seen } = apiWithHook(async (_call, next) => ({ unsent: await next(), cause: "test" }));
  await expect(get(client, client.clientSecret, "/v1/user_intent/no-id")).rejects.toThrow("closed without an answer");
  expect(seen).toMatchObject([{ status: 404, reason: "not_found" }]);
});

function apiWithHook(around: NonNullable<RequestHook["around"]>) {
  const [wrapped, seen]: [unknown[], AnsweredRequest[]] = [[], []];
  const hook: RequestHook = {
    around: (call, next) => {
      wrapped.push(call);
      return around(call, next);
    },
    answered: (request) => seen.push(request),
  };
  const api = createServiceApi({ routes: [], site: { credentials: () => undefined }, hookFor: () => () => hook });
  const get = async ({ clientId, clientSecret }: TestClient, secret = clientSecret, at = path) =>
    api.request(at, { headers: { authorization: basicCredentials(clientId, secret) } });
  return { get, wrapped, seen };
}

async function intercept({ clientId }: TestClient): Promise<void> {
  await database().update(clients).set({ isIntercepted: true }).where(eq(clients.id, clientId));
}
