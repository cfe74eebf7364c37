import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, describe, expect, test } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { requestList, requestRecord } from "../../../contract/sandbox-events.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { advanceClock, createTestClient, type TestClient } from "../../testing/clients.ts";
import { createSandboxApi } from "../../testing/listening-service.ts";
import { personDetails } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { issueTestTokens } from "../../testing/tokens.ts";
import { describeCall } from "../events/call-event.ts";
import { type EventDraft, flushEventLog, writeEvents } from "../events/event-log.ts";
import { stopEventStreams } from "../events/event-stream.ts";
import { findStartOfRequests, listRequestsAfter } from "../events/list-events.ts";

const { storedRequestsMax } = limits;

afterAll(stopEventStreams);

describe("GET /sandbox/requests", () => {
  test("200: requests and responses, newest first, with their joins", async () => {
    const client = await createTestClient();
    const traceId = randomUUID().replaceAll("-", "");
    const created = await client.call("POST", "/v1/user_intent", {
      body: personDetails({ phone: newPhone(), metadata: { order: "42" } }),
      headers: { traceparent: `00-${traceId}-${"12".repeat(8)}-01` },
    });
    const id = String(created.json["id"]);
    await client.call("GET", `/v1/user_intent/${id}?access_token=gwa_in-the-wrong-place-0001`);
    const [read, create] = await requestsOf(client);
    expect(read).toMatchObject({ operation: "readUserIntent", path_template: "/v1/user_intent/{id}", status: 200 });
    expect(read).toMatchObject({ path: `/v1/user_intent/${id}`, request_body: null, response_body: { id } });
    expect(create).toMatchObject({
      operation: "createUserIntent",
      method: "POST",
      status: 201,
      reason: null,
      trace_id: traceId,
      request_id: created.headers.get("request-id"),
      request_body: { first_name: "Grace", metadata: { order: "42" }, ssn: "[redacted]" },
      response_body: { id, status: "pending" },
    });
    expect(Number(read?.id)).toBeGreaterThan(Number(create?.id));
  });

  test("200: a refusal has its reason, including OAuth errors and expired tokens", async () => {
    const client = await createClientWithSeller();
    await client.call("POST", "/v1/user_intent", { body: {} });
    await client.call("POST", "/v1/oauth/token", { form: { grant_type: "refresh_token", refresh_token: "gwr_no" } });
    await advanceClock(client, 7200);
    await client.call("GET", "/v1/user", { bearer: client.businessToken });
    expect(await requestsOf(client)).toMatchObject([
      { operation: "readUser", status: 401, reason: "token_expired" },
      { operation: "issueTokens", status: 400, reason: "invalid_grant" },
      { operation: "createUserIntent", status: 400, reason: "validation_failed" },
    ]);
  });

  test("200: no SSN, date of birth, address, token, code, or secret anywhere", async () => {
    const client = await createClientWithSeller();
    const canaries = ["587654321", "1971-07-17", "77 Canary Row", "gwc_canary-code-0123456789", "4111111111111111"];
    const [ssn = "", date_of_birth = "", address1 = "", code = "", card = ""] = canaries;
    const person = personDetails({ phone: newPhone(), ssn, date_of_birth, address1 });
    await client.call("POST", "/v1/user_intent", { body: person });
    await client.call("POST", "/v1/user_intent", { body: { ...person, metadata: { a: ssn, b: card, [ssn]: "c" } } });
    await client.call("POST", "/v1/user_intent", {
      body: { ...person, first_name: ssn, sn: ssn, dob: date_of_birth },
    });
    await client.call("POST", "/v1/user_intent", {
      body: { first_name: Number(ssn), [code]: address1, name: [[code]] },
    });
    await client.call("POST", "/v1/user_intent", {
      rawBody: `"${ssn}"`,
      headers: { "content-type": "application/json" },
    });
    await client.call("GET", `/v1/user_intent/${ssn}`);
    await client.call("POST", "/v1/oauth/token", {
      form: { grant_type: "authorization_code", code, redirect_uri: "x" },
    });
    const pair = await issueTestTokens(client, client.businessUserId);
    const form = { grant_type: "refresh_token", refresh_token: pair.refreshToken, client_secret: client.clientSecret };
    await client.call("POST", "/v1/oauth/token", { form });
    const { client_secret: _, ...fine } = form;
    const refreshed = await client.call("POST", "/v1/oauth/token", { form: fine });
    expect(refreshed.status).toBe(200);
    const { text, json } = await client.call("GET", "/sandbox/requests");
    expect(requestList.parse(json).requests).toHaveLength(9);
    const secrets = [pair.refreshToken, client.clientSecret, ...Object.values(refreshed.json).filter(isToken)];
    for (const secret of [...canaries, ...secrets]) expect(text).not.toContain(secret);
  });

  test("200: sandbox calls aren't listed", async () => {
    const client = await createTestClient();
    await client.call("GET", "/sandbox/users");
    await client.call("POST", "/sandbox/clients");
    await client.call("GET", "/v1/user_intent/none");
    expect(await requestsOf(client)).toMatchObject([{ operation: "readUserIntent" }]);
  });

  test("200: no calls of other clients or unauthenticated callers", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await otherClient.call("GET", "/v1/user_intent/none");
    await client.call("GET", "/v1/user_intent/none", { authorization: basicCredentials(client.clientId, "wrong") });
    expect(await requestsOf(client)).toEqual([]);
  });

  test("200: only the last 200, per client", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await otherClient.call("GET", "/v1/user_intent/none");
    await flushEventLog();
    for (let calls = 0; calls < storedRequestsMax + 30; calls++) {
      await client.call("GET", `/v1/user_intent/${calls}`);
      if (calls === 100) await flushEventLog();
    }
    const requests = await requestsOf(client);
    expect(requests).toHaveLength(storedRequestsMax);
    expect(requests[0]?.path).toBe(`/v1/user_intent/${storedRequestsMax + 29}`);
    expect(requests.at(-1)?.path).toBe("/v1/user_intent/30");
    const [first] = await listRequestsAfter(client.clientId, await findStartOfRequests(client.clientId, 0));
    expect(first?.path).toBe("/v1/user_intent/30");
    expect(await requestsOf(otherClient)).toHaveLength(1);
  });

  test("401: without the client's secret", async () => {
    expect((await (await createTestClient()).call("GET", "/sandbox/requests", { authorization: null })).status).toBe(
      401,
    );
  });
});

describe("GET /sandbox/requests/stream", () => {
  test("200: kept requests oldest first, then live ones", async () => {
    const client = await createTestClient();
    await client.call("GET", "/v1/user_intent/first");
    await client.call("GET", "/v1/user_intent/second");
    const stream = await openStream(client);
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.response.headers.get("cache-control")).toBe("no-store");
    expect((await stream.read(2)).map(({ path }) => path)).toEqual(["/v1/user_intent/first", "/v1/user_intent/second"]);
    await client.call("GET", "/v1/user_intent/third");
    expect(await stream.read(1)).toMatchObject([{ path: "/v1/user_intent/third" }]);
    await stream.close();
  });

  test("200: a reader resumes with Last-Event-ID without gaps or duplicates", async () => {
    const client = await createTestClient();
    const stream = await openStream(client);
    await client.call("GET", "/v1/user_intent/first");
    const [first] = await stream.read(1);
    await stream.close();
    await client.call("GET", "/v1/user_intent/missed");
    const resumed = await openStream(client, { "last-event-id": first?.id ?? "" });
    await client.call("GET", "/v1/user_intent/live");
    expect((await resumed.read(2)).map(({ path }) => path)).toEqual(["/v1/user_intent/missed", "/v1/user_intent/live"]);
    await resumed.close();
  });

  test("200: includes other processes' requests, but no other clients'", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const stream = await openStream(client);
    // Simulates another process: a row and its notification.
    await writeEvents([rowOf(otherClient, "/v1/theirs"), rowOf(client, "/v1/ours")]);
    expect(await stream.read(1)).toMatchObject([{ path: "/v1/ours" }]);
    await writeEvents([rowOf(client, "/v1/later")]);
    expect(await stream.read(1)).toMatchObject([{ path: "/v1/later" }]);
    await stream.close();
  });

  test.each(["text/event-stream", "*/*", "application/json"])("200: accept %s", async (accept) => {
    const stream = await openStream(await createTestClient(), { accept });
    expect(stream.response.status).toBe(200);
    await stream.close();
  });

  test("401: without the client's secret, as any other call", async () => {
    const answer = await (await createTestClient()).call("GET", "/sandbox/requests/stream", { authorization: null });
    expect(answer.status).toBe(401);
    expect(answer.json["reason"]).toBe("invalid_client");
  });
});

test("over a real connection a stream starts immediately and ends with its reader", async () => {
  const { clientId, clientSecret } = await createTestClient();
  const server = createServer(getRequestListener(createSandboxApi().fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const leaving = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/sandbox/requests/stream`, {
    headers: { authorization: basicCredentials(clientId, clientSecret) },
    signal: leaving.signal,
  });
  const first = await response.body?.pipeThrough(new TextDecoderStream()).getReader().read();
  expect(first?.value).toBe("retry: 1000\n\n");
  leaving.abort();
  // Resolves once all connections are closed.
  await new Promise((resolve) => server.close(resolve));
});

// Must be last: after shutdown, no stream opens.
test("shutdown ends every stream cleanly and writes pending requests", async () => {
  const client = await createTestClient();
  const [idle, otherClient] = [await openStream(client), await openStream(await createTestClient())];
  await client.call("GET", "/v1/user_intent/first");
  await idle.read(1);
  await client.call("GET", "/v1/user_intent/last");
  await stopEventStreams();
  await Promise.all([idle.readToEnd(), otherClient.readToEnd()]);
  expect(await listRequestsAfter(client.clientId, 0)).toHaveLength(2);
});

async function requestsOf(client: TestClient) {
  const { status, json } = await client.call("GET", "/sandbox/requests");
  expect(status).toBe(200);
  return requestList.parse(json).requests;
}

async function openStream({ clientId, clientSecret }: TestClient, headers: Record<string, string> = {}) {
  const authorization = basicCredentials(clientId, clientSecret);
  const request = new Request("http://127.0.0.1:4000/sandbox/requests/stream", {
    headers: { authorization, ...headers },
  });
  const response = await createSandboxApi().fetch(request);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    response,
    close: async () => reader?.cancel(),
    // Resolves when the other side closes the stream; throws if it breaks.
    readToEnd: async () => {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read());
    },
    // Reads this many more requests, in any chunks.
    read: async (count: number) => {
      const events = () =>
        text
          .split("\n\n")
          .slice(0, -1)
          .filter((event) => event.includes("data: "));
      while (events().length < count) {
        const next = await reader?.read();
        if (!next || next.done) throw new Error("The stream ended too early.");
        text += next.value;
      }
      const read = events();
      text = "";
      return read.map((event) => {
        const record = requestRecord.parse(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? ""));
        expect(event).toContain(`id: ${record.id}\n`);
        return record;
      });
    },
  };
}

function rowOf({ clientId }: TestClient, path: string): { clientId: string; draft: EventDraft } {
  const at = new Date();
  const call = {
    clientId,
    requestId: randomUUID(),
    traceId: "ab".repeat(16),
    operation: "getUser",
    method: "GET",
    pathTemplate: path,
    url: `http://127.0.0.1:4000${path}`,
    isUnanswered: false,
    status: 200,
    reason: null,
    startedAt: at,
    durationMs: 1.5,
    answeredAt: at,
    userId: undefined,
    isFaulted: false,
    cut: undefined,
    requestHeaders: new Headers(),
    responseHeaders: {},
    requestBody: undefined,
    responseBody: { id: "a" },
  };
  return { clientId, draft: describeCall(call) };
}

function isToken(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("gw");
}
