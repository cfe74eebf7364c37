import { describe, expect, test } from "vitest";
import { logToFile } from "../../kit/testing/log-file.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { servicePool } from "../storage/database.ts";
import { advanceClock, createTestClient, type TestClient } from "../testing/clients.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { insertTestIntent, type TestPerson } from "../testing/people.ts";
import { authorizationQuery, insertTestSessionToken } from "../testing/visits.ts";
import { answerAuthorizationRequest } from "./authorization-entry.ts";

const readLog = logToFile();
const address = "http://127.0.0.1:4000/login/oauth/authorize";

function arrive(query: URLSearchParams, init?: RequestInit): Promise<Response> {
  return answerAuthorizationRequest(new Request(`${address}?${query}`, init));
}

type Prepared = { client: TestClient; person: TestPerson; query: URLSearchParams };

async function prepare(): Promise<Prepared> {
  const client = await createTestClient();
  const person = await insertTestIntent(client);
  const session_token = await insertTestSessionToken(client, person);
  return { client, person, query: authorizationQuery(client, person, { session_token }) };
}

function changed(query: URLSearchParams, changes: Record<string, string>): URLSearchParams {
  return new URLSearchParams({ ...Object.fromEntries(query), ...changes });
}

function withoutNonces(html: string): string {
  return html.replaceAll(/nonce="[^"]*"/g, "");
}

describe("GET /login/oauth/authorize", () => {
  test("303: to a clean URL, with a cookie for this visit's pages only", async () => {
    const { query } = await prepare();
    const response = await arrive(query);
    expect(response.status).toBe(303);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const visitId = /^\/login\/oauth\/authorize\/([0-9a-f-]{36})$/.exec(response.headers.get("location") ?? "")?.[1];
    const cookie = response.headers.get("set-cookie") ?? "";
    const [, visitSecret = ""] = /^visit-[0-9a-f-]{36}=(gwv_[\w-]{43}); /.exec(cookie) ?? [];
    expect(cookie.split("; ").slice(1)).toEqual([
      "Path=/login/oauth/authorize",
      "Max-Age=14400",
      "HttpOnly",
      "SameSite=Lax",
    ]);
    expect(await readVisit({ visitId: visitId ?? "", visitSecret })).toMatchObject({ kind: "consent" });
  });

  test.each([
    ["HEAD", { method: "HEAD" }],
    ["a prefetch", { headers: { "sec-purpose": "prefetch" } }],
    ["a prerender", { headers: { "sec-purpose": "prefetch;prerender" } }],
    ["an old prefetch", { headers: { purpose: "prefetch" } }],
    ["a preview", { headers: { purpose: "preview" } }],
    ["a prefetch of an old Firefox", { headers: { "x-moz": "prefetch" } }],
  ])("%s redeems and opens nothing", async (_case, init) => {
    const { query } = await prepare();
    const early = await arrive(query, init);
    expect(early.headers.get("location")).toBeNull();
    expect(early.headers.get("set-cookie")).toBeNull();
    expect((await arrive(query)).headers.get("location")).toMatch(/^\/login/);
  });

  test("303: a client error redirects back with error, state and iss", async () => {
    const { client, query } = await prepare();
    query.set("response_type", "token");
    const response = await arrive(query);
    expect(response.status).toBe(303);
    const location = response.headers.get("location") ?? "";
    expect(location.startsWith(`${client.redirectUri}&error=unsupported_response_type&`)).toBe(true);
    const answer = new URL(location).searchParams;
    expect([answer.get("state"), answer.get("iss")]).toEqual(["a state & more", "http://127.0.0.1:4000"]);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("400: a used session token gets a page that links back with access_denied", async () => {
    const { query } = await prepare();
    await arrive(query);
    const response = await arrive(query);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(response.headers.get("set-cookie")).toBeNull();
    const html = await response.text();
    expect(html).toContain("Return to Harbor &#38; Sons");
    expect(html).toContain("error=access_denied&#38;");
    expect(html).not.toContain(query.get("session_token"));
  });

  test.each<[string, (prepared: Prepared) => Promise<URLSearchParams>]>([
    ["session_token_unknown", async ({ query }) => changed(query, { session_token: "gwi_never_minted" })],
    [
      "session_token_spent",
      async ({ query }) => {
        await arrive(query);
        return query;
      },
    ],
    [
      "session_token_expired",
      async ({ client, query }) => {
        await advanceClock(client, 60);
        return query;
      },
    ],
    [
      "session_token_of_another_client",
      async ({ query }) => changed(query, { client_id: (await createTestClient()).clientId }),
    ],
  ])("400: %s is logged, and the page is the same as for any other unusable token", async (cause, spoil) => {
    const prepared = await prepare();
    const query = await spoil(prepared);
    const response = await arrive(query);
    const reference = await arrive(changed(prepared.query, { session_token: "gwi_another_never_minted" }));
    expect(response.status).toBe(400);
    expect(withoutNonces(await response.text())).toBe(withoutNonces(await reference.text()));
    expect(readLog().at(-2)).toMatchObject({ clientId: query.get("client_id"), cause });
  });

  test.each([
    ["client_id", "nobody"],
    ["client_id", "a\0b"],
    ["redirect_uri", "https://attacker.example/<script>"],
  ])("400: a bad %s gets our own page without any link", async (name, value) => {
    const { query } = await prepare();
    query.set(name, value);
    const response = await arrive(query);
    expect(response.status).toBe(400);
    expect(response.headers.get("location")).toBeNull();
    const html = await response.text();
    expect(html).toContain(`(${name})`);
    expect(html).not.toContain("<a ");
    expect(html).not.toContain("attacker");
  });

  test("503: while the database is down, a page that reloads itself, and the link still works afterwards", async () => {
    const { query } = await prepare();
    const held = await holdRows("lock table visits in access exclusive mode", []);
    const answering = arrive(query);
    await held.waiters(1);
    await servicePool().query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    const response = await answering;
    await held.release();
    expect([response.status, response.headers.get("retry-after"), response.headers.get("refresh")]).toEqual([
      503,
      "5",
      "5",
    ]);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect((await arrive(query)).status).toBe(303);
  });

  test("400: the page's style has the gateway's nonce", async () => {
    const { query } = await prepare();
    query.delete("client_id");
    const response = await arrive(query, {
      headers: { "content-security-policy": "style-src 'self' 'nonce-YWJj+/=='" },
    });
    expect(await response.text()).toContain('<style nonce="YWJj+/==">');
  });
});
