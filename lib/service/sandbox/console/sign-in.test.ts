import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { HttpListener } from "../../../kit/testing/http-listener.ts";
import { createTestClient } from "../../testing/clients.ts";
import { startListeningService } from "../../testing/listening-service.ts";
import { answerEventStream, answerEvents } from "./answer-call.ts";
import { type ConsoleClient, consoleCookieHeader, readConsoleClient } from "./console-session.ts";
import { ClientRefusedError, readLastEvent, readParts } from "./read.ts";
import { answerRefusedClient, answerSignIn, answerSignOut, refusedClientAddress } from "./sign-in.ts";

let service: HttpListener;
beforeAll(async () => {
  service = await startListeningService();
});
afterAll(() => service.stop());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("signs a client in by id and secret, with an encrypted cookie for the console only", async () => {
  const { clientId, clientSecret, call } = await createTestClient();
  const answer = await signIn({ client_id: clientId, client_secret: clientSecret });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console"]);
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^plainbook-console=\S+; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Lax$/);
  expect(cookie).not.toContain(clientSecret);
  const sealed = /=([^;]+)/.exec(cookie)?.[1];
  expect(await readConsoleClient(sealed)).toEqual({ clientId, clientSecret });

  await call("POST", "/sandbox/clock/advance", { body: { seconds: 1 } });
  const events = await answerEvents(
    new Request(`${service.url}/console/events?limit=1`, { headers: { cookie: `a=b; plainbook-console=${sealed}` } }),
  );
  expect(await events.json()).toMatchObject({ events: [{ kind: "control" }] });
});

test.each([
  { client_id: "some-client", client_secret: "not the secret" },
  { client_id: "", client_secret: "" },
  { client_id: "\u{1F512}:", client_secret: "\u{1F511}" },
])("rejects a sign-in with %j", async (fields) => {
  const answer = await signIn(fields);
  expect(answer.headers.get("location")).toBe("/console/sign-in?problem=invalid_client");
  expect(answer.headers.get("set-cookie")).toBeNull();
});

test.each([
  ["/console?q=1&join=trace%3Aa", "/console?q=1&join=trace%3Aa"],
  ["/console/other/page?a=b", "/console/other/page?a=b"],
  ["/console/a/../b", "/console/b"],
  ["/console/people?_rsc=1a2b3", "/console/people"],
])("a request for %s continues there after sign-in, even after a wrong secret", async (returnTo, expected) => {
  const { signedIn, refused } = await signInFrom(returnTo);
  expect(signedIn).toBe(expected);
  expect(refused.searchParams.get("return_to")).toBe(expected);
});

test.each([
  "https://evil.example/console",
  "//evil.example/console",
  "/\\evil.example/console",
  "\\\\evil.example/console",
  "/\t/evil.example/console",
  "/.//evil.example/console",
  "/%2e//evil.example/console",
  "/console/..//evil.example",
  "/console\\..\\..\\\\evil.example",
  "/console@evil.example",
  "/consoles",
  "/docs",
  "console",
  "javascript:alert(1)",
  "",
])("sign-in redirects only within the console: %j", async (returnTo) => {
  const { signedIn, refused } = await signInFrom(returnTo);
  expect(signedIn).toBe("/console");
  expect(refused.search).toBe("?problem=invalid_client");
});

test("an altered or foreign cookie doesn't sign in, and no events are served without one", async () => {
  const client = { clientId: "a", clientSecret: "b" };
  const sealed = /=([^;]+)/.exec(await consoleCookieHeader(client))?.[1] ?? "";
  expect(await readConsoleClient(sealed)).toEqual(client);
  const changed = `${sealed.slice(0, 40)}${sealed[40] === "a" ? "b" : "a"}${sealed.slice(41)}`;
  for (const value of [changed, "garbage", "", undefined]) expect(await readConsoleClient(value)).toBeUndefined();
  expect((await answerEvents(new Request(`${service.url}/console/events`))).status).toBe(401);
});

test("a sign-in ends after twelve hours, even if its cookie is kept", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const client = { clientId: "a", clientSecret: "b" };
  const sealed = /=([^;]+)/.exec(await consoleCookieHeader(client))?.[1];
  vi.setSystemTime(Date.now() + 12 * 3_600_000 - 60_000);
  expect(await readConsoleClient(sealed)).toEqual(client);
  // A minute's difference between two clocks is tolerated.
  vi.setSystemTime(Date.now() + 180_000);
  expect(await readConsoleClient(sealed)).toBeUndefined();
});

test("a sign-in that gets no response isn't reported as a wrong secret", async () => {
  const { clientId, clientSecret } = await createTestClient();
  const cut = vi.spyOn(globalThis, "fetch");
  for (const failure of [Promise.reject(new TypeError("fetch failed")), new Response(null, { status: 503 })]) {
    cut.mockImplementationOnce(async () => failure);
    const answer = await signIn({ client_id: clientId, client_secret: clientSecret });
    expect(answer.headers.get("location")).toBe("/console/sign-in?problem=no_answer");
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
});

test("ends the sign-in of a client whose secret no longer works, and returns to its page after the next", async () => {
  const { clientId } = await createTestClient();
  const client = { clientId, clientSecret: "rotated since" };
  const lastEvent = readLastEvent(client);
  const openKeys = Promise.resolve("read without a secret");
  await expect(readParts({ openKeys, lastEvent })).rejects.toThrow(ClientRefusedError);
  const answer = await endIfRefused(client);
  expect(answer.headers.get("location")).toBe("/console/sign-in?problem=ended&return_to=%2Fconsole%2Fmoney%3Fpage%3D2");
  expect(answer.headers.get("set-cookie")).toContain("plainbook-console=; Path=/console; Max-Age=0");
});

test("keeps the sign-in of a client whose secret works, or if the service doesn't answer", async () => {
  const { clientId, clientSecret } = await createTestClient();
  const answers = [await endIfRefused({ clientId, clientSecret })];
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(null, { status: 503 }));
  answers.push(await endIfRefused({ clientId, clientSecret: "unknown" }));
  for (const { headers } of answers) {
    expect(headers.get("location")).toBe("/console/money?page=2");
    expect(headers.get("set-cookie")).toBeNull();
  }
});

test("HEAD opens no stream of events", async () => {
  const request = new Request(`${service.url}/console/events/stream`, { method: "HEAD" });
  expect((await answerEventStream(request)).status).toBe(405);
});

test("a cross-site form can't sign in or out", async () => {
  const { clientId, clientSecret } = await createTestClient();
  const fields = { client_id: clientId, client_secret: clientSecret };
  for (const origin of ["https://elsewhere.example", "null", ""]) {
    const answers = [await signIn(fields, origin), answerSignOut(postOf({}, origin))];
    expect(answers.map(({ status, headers }) => [status, headers.get("set-cookie")])).toEqual([
      [403, null],
      [403, null],
    ]);
  }
  const out = answerSignOut(postOf({}, service.url));
  expect(out.headers.get("set-cookie")).toContain("plainbook-console=; Path=/console; Max-Age=0");
});

/** The redirects for a request of this URL, after sign-in and with a wrong secret. */
async function signInFrom(returnTo: string): Promise<{ signedIn: string | null; refused: URL }> {
  const { clientId, clientSecret } = await createTestClient();
  const fields = { client_id: clientId, client_secret: clientSecret, return_to: returnTo };
  const refused = (await signIn({ ...fields, client_secret: "wrong" })).headers.get("location") ?? "";
  return { signedIn: (await signIn(fields)).headers.get("location"), refused: new URL(refused, service.url) };
}

/** The response that a page of this client gets after a refused call. */
async function endIfRefused(client: ConsoleClient): Promise<Response> {
  const address = `${service.url}${refusedClientAddress("/console/money?page=2")}`;
  const [cookie = ""] = (await consoleCookieHeader(client)).split(";");
  return answerRefusedClient(new Request(address, { headers: { cookie } }));
}

function signIn(fields: Record<string, string>, origin: string = service.url): Promise<Response> {
  return answerSignIn(postOf(fields, origin));
}

function postOf(fields: Record<string, string>, origin: string): Request {
  return new Request(`${service.url}/console/session`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams(fields),
  });
}
