import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { HttpListener } from "../../../kit/testing/http-listener.ts";
import { createTestClient } from "../../testing/clients.ts";
import { startListeningService } from "../../testing/listening-service.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { allDrills } from "../drills/all-drills.ts";
import { answerCall, answerEventStream, answerEvents } from "./answer-call.ts";
import { answerPalette } from "./answer-palette.ts";
import { consoleCookieHeader } from "./console-session.ts";

let service: HttpListener;
beforeAll(async () => {
  service = await startListeningService();
});
afterAll(() => service.stop());

const advance = { method: "POST", path: "/sandbox/clock/advance", body: { seconds: 60 } };

test("makes a sandbox call for the signed-in client, and returns its status and body", async () => {
  const [client, otherClient] = [await createTestClient(), await createTestClient()];
  const call = { ...advance, client_id: client.clientId };
  const answer = await post(call, { cookie: await cookieOf(client) });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ offset_seconds: 60 });
  expect(await offsetOf(otherClient)).toBe(0);

  const refused = await post({ ...call, body: { seconds: -1 } }, { cookie: await cookieOf(client) });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({ reason: "validation_failed" }),
  ]);
});

test("409: a page of one client makes no call once another client is signed in", async () => {
  const [client, otherClient] = [await createTestClient(), await createTestClient()];
  const refused = await post({ ...advance, client_id: client.clientId }, { cookie: await cookieOf(otherClient) });
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { description: "This page belongs to a different client than the one you’re signed in as. Reload the page." },
  ]);
  expect([await offsetOf(client), await offsetOf(otherClient)]).toEqual([0, 0]);
});

test("409: the timeline of one client gets no events once another client is signed in", async () => {
  const [client, otherClient] = [await createTestClient(), await createTestClient()];
  for (const { clientId } of [client, otherClient]) {
    for (const [path, answerOf] of [
      ["/console/events?limit=1", answerEvents],
      ["/console/events/stream?after=0", answerEventStream],
    ] as const) {
      const answer = await answerOf(
        new Request(`${service.url}${path}&client=${clientId}`, { headers: { cookie: await cookieOf(client) } }),
      );
      expect(answer.status, `${path} of ${clientId}`).toBe(clientId === client.clientId ? 200 : 409);
      await answer.body?.cancel();
    }
  }
});

test("rejects requests without a session or from another site", async () => {
  const client = await createTestClient();
  expect((await post(advance)).status).toBe(401);
  for (const origin of ["https://elsewhere.example", "null", ""]) {
    expect((await post(advance, { cookie: await cookieOf(client), origin })).status).toBe(403);
  }
  expect(await offsetOf(client)).toBe(0);
});

test.each([
  { method: "POST", path: "/v1/oauth/token" },
  { method: "POST", path: "/sandbox" },
  { method: "POST", path: "/sandbox/../v1/oauth/token" },
  { method: "POST", path: "/sandbox/clock/advance?x=1" },
  { method: "POST", path: "//elsewhere.example/sandbox/a" },
  { method: "POST", path: "https://elsewhere.example/sandbox/a" },
  { method: "POST", path: "/sandbox/%2e%2e/a" },
  { method: "GET", path: "/sandbox/clock" },
  { path: "/sandbox/clock/advance" },
  undefined,
])("rejects %j, which isn't a sandbox write", async (call) => {
  const client = await createTestClient();
  const forged = call && { ...call, client_id: client.clientId };
  expect((await post(forged, { cookie: await cookieOf(client) })).status).toBe(400);
});

test("distinguishes no response from every service response", async () => {
  const client = await createTestClient();
  const cookie = await cookieOf(client);
  const cut = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("fetch failed"));
  expect((await post({ ...advance, client_id: client.clientId }, { cookie })).status).toBe(504);
  cut.mockRestore();
});

test("the command palette finds the signed-in client's people and every drill, or says why not", async () => {
  const [client, otherClient] = [await createTestClient(), await createTestClient()];
  const { userId } = await insertTestUser(client, { status: "suspended" });
  const { userIntentId } = await insertTestIntent(client, { status: "pending" });
  await insertTestUser(otherClient);
  const open = async (cookie: string) =>
    answerPalette(new Request(`${service.url}/console/palette`, { headers: { cookie } }));
  const answer = await open(await cookieOf(client));
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await answer.json()).toEqual({
    people: [
      { join: `user:${userId}`, name: "Grace Hopper", status: "suspended" },
      { join: `user:${client.businessUserId}`, name: expect.stringMatching(/ Operations$/), status: "approved" },
      { join: `intent:${userIntentId}`, name: "Ada Lovelace", status: "pending" },
    ],
    drills: allDrills.map(({ id, title }) => ({ id, title })),
  });

  const signedOut = await open("");
  expect([signedOut.status, signedOut.headers.get("cache-control")]).toEqual([401, "no-store"]);
  const refused = await open(await cookieOf({ ...client, clientSecret: "replaced" }));
  expect([refused.status, refused.headers.get("cache-control")]).toEqual([502, "no-store"]);
});

async function offsetOf({ call }: Awaited<ReturnType<typeof createTestClient>>): Promise<number> {
  return (await call("GET", "/sandbox/clock")).json["offset_seconds"] as number;
}

async function cookieOf({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Promise<string> {
  return (await consoleCookieHeader({ clientId, clientSecret })).split(";")[0] ?? "";
}

function post(call: unknown, { cookie = "", origin = service.url } = {}): Promise<Response> {
  const headers = { origin, cookie };
  return answerCall(
    new Request(`${service.url}/console/calls`, { method: "POST", headers, body: JSON.stringify(call) }),
  );
}
