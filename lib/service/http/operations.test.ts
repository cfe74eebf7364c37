import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { basicCredentials } from "../../kit/basic-credentials.ts";
import { inTransaction, servicePool } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { advanceClock, createTestClient, type TestClient } from "../testing/clients.ts";
import { createSandboxApi } from "../testing/listening-service.ts";
import { isAddressWithinRate } from "./frame/answer-request.ts";

// Read by serviceConfig() on its first call. Limits: 3 per client at the token endpoints and 15 elsewhere; 30 per
// address.
process.env["SERVICE_REQUESTS_PER_SECOND_MAX"] = "3";

const refresh = { form: { grant_type: "refresh_token", refresh_token: "unknown" } };
const newId = "/v1/user_intent/0198c0de-0000-7000-8000-000000000000";

describe("rate limits (Decision D17)", () => {
  test("429: a client's token requests over its limit per second, with retry-after, as an RFC 6749 error", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.call("POST", "/v1/oauth/token", refresh)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    // A new second may start in between.
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(refused[0]?.json["error"]).toBe("temporarily_unavailable");
    const countOf = (text: string, { clientId }: TestClient, reason: string) =>
      readSeries(text, `plainbook_client_refusals_total{client="${clientId}",reason="${reason}"}`);
    const shown = await metrics(client);
    expect(countOf(shown, client, "rate_limited")).toBe(refused.length);
    expect(countOf(shown, client, "invalid_grant")).toBe(10 - refused.length);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    // Other clients, and the same client at other endpoints, have their own limits.
    expect((await otherClient.call("POST", "/v1/oauth/token", refresh)).status).toBe(400);
    expect((await client.call("GET", newId)).status).toBe(404);
    // The limit resets.
    await expect
      .poll(async () => (await client.call("POST", "/v1/oauth/token", refresh)).status, { interval: 200 })
      .toBe(400);
  });

  test("429: a client's other requests over its limit", async () => {
    const client = await createTestClient();
    const answers = await Promise.all(Array.from({ length: 60 }, () => client.call("GET", newId)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    expect(refused[0]?.json).toMatchObject({ code: 429, name: "Too Many Requests", reason: "rate_limited" });
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
  });

  test("429: an address over its limit, before its credentials are checked; others are served", async () => {
    const client = await createTestClient();
    const guess = (address: string) =>
      client.call("GET", newId, { authorization: null, headers: { "x-gangway-client-address": address } });
    const answers = await Promise.all(Array.from({ length: 100 }, () => guess("203.0.113.7")));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(40);
    expect((await guess("203.0.113.8")).status).toBe(401);
  });

  test.each([
    ["GET", "/nowhere", 404],
    ["DELETE", "/v1/oauth/token", 405],
    ["GET", "/docs", 200],
    ["GET", "/", 200],
    ["GET", "/docs/site.js", 404],
    ["GET", "/openapi.json", 200],
    ["GET", "/metrics", 200],
  ])("429: %s %s counts toward its address's limit, although it isn't an operation", async (method, path, status) => {
    const api = createSandboxApi();
    const headers = { "x-gangway-client-address": `198.51.100.${status % 200}${path.length}` };
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.request(path, { method, headers })));
    const statuses = answers.map((answer) => answer.status);
    expect(new Set(statuses)).toEqual(new Set([status, 429]));
    expect(statuses.filter((each) => each === 429).length).toBeGreaterThanOrEqual(40);
  });

  test("429: the addresses of an IPv6 network share a limit", async () => {
    const api = createSandboxApi();
    const get = (address: string) => api.request("/nowhere", { headers: { "x-gangway-client-address": address } });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => get(`2001:db8::${index + 1}`)));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(40);
    expect((await get("2001:db8:0:1::1")).status).toBe(404);
    // The pages too.
    const visits = Array.from({ length: 100 }, (_, index) => isAddressWithinRate(`2001:db8:0:2::${index + 1}`));
    expect((await Promise.all(visits)).filter((isWithin) => !isWithin).length).toBeGreaterThanOrEqual(40);
    expect(await isAddressWithinRate("2001:db8:0:3::1")).toBe(true);
  });

  test("requests with a client's id but not its secret don't use up the client's limit", async () => {
    const client = await createTestClient();
    const authorization = basicCredentials(client.clientId, "wrong");
    await Promise.all(Array.from({ length: 50 }, () => client.call("GET", newId, { authorization })));
    expect((await client.call("GET", newId)).status).toBe(404);
  });
});

describe("GET /metrics", () => {
  test("200: counts requests by route and status, without clients", async () => {
    const client = await createTestClient();
    const route = 'listener="api",method="GET",route="/v1/user_intent/{id}"';
    const series = `gangway_requests_total{${route},status="404"}`;
    const before = readSeries(await metrics(client), series);
    await client.call("GET", newId);
    await client.call("GET", `/nowhere/${client.clientId}`);
    const text = await metrics(client);
    expect(readSeries(text, series)).toBe(before + 1);
    expect(text).toContain(`gangway_request_duration_seconds_bucket{${route},status="4xx",le="0.1"}`);
    expect(text).toMatch(/^gangway_requests_total\{listener="api",method="GET",route="none",status="404"\} \d+$/m);
    // Prometheus misses the first increase of a series that starts above 0.
    expect(readSeries(text, `gangway_requests_total{${route},status="503"}`)).toBe(0);
    expect(text).toMatch(/^plainbook_pool_connections [1-9]/m);
    expect(text).not.toContain(client.clientId);
  });

  test("200: an unanswered call is counted as unanswered", async () => {
    const client = await createTestClient();
    const series = 'gangway_requests_total{listener="api",method="GET",route="/v1/user_intent/{id}"';
    const count = async () => {
      const text = await metrics(client);
      return ["404", "none"].map((status) => readSeries(text, `${series},status="${status}"}`));
    };
    await client.call("GET", newId);
    const before = await count();
    for (const cut of ["before", "after"]) {
      await client.call("PUT", "/sandbox/faults", { body: { operation: "readUserIntent", cut, times: 1 } });
      await expect(client.call("GET", newId)).rejects.toThrow("closed without an answer");
    }
    expect(await count()).toEqual([before[0], (before[1] ?? 0) + 2]);
  });

  test("200: the outbox's depth and age count due webhooks and retries, not those that wait for a retry or an endpoint", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9/webhooks" } });
    const before = readSeries(await metrics(client), "plainbook_outbox_depth");
    await advanceClock(client, 3600);
    const event = { userId: client.businessUserId, resourceId: client.businessUserId };
    await inTransaction((tx) =>
      insertDeliveries(tx, [
        { clientId: client.clientId, ...event, webhookType: "user_updated", traceId: "ab".repeat(16) },
      ]),
    );
    await advanceClock(client, 60);
    const text = await metrics(client);
    expect(readSeries(text, "plainbook_outbox_depth")).toBe(before + 1);
    expect(readSeries(text, "plainbook_outbox_oldest_seconds")).toBeGreaterThanOrEqual(60);
    const depthOnce = async (change: string) => {
      await servicePool().query(change, [client.clientId]);
      return readSeries(await metrics(client), "plainbook_outbox_depth") - before;
    };
    const retry = (when: string) =>
      `update deliveries set is_due = false, next_attempt_real_at = now() + interval '${when}' where client_id = $1`;
    expect(await depthOnce(retry("1 hour"))).toBe(0);
    expect(await depthOnce(retry("-1 hour"))).toBe(1);
    expect(readSeries(await metrics(client), "plainbook_outbox_oldest_seconds")).toBeGreaterThanOrEqual(3600);
    const endpoint = (change: string) => `update webhook_endpoints set ${change} where client_id = $1`;
    expect(await depthOnce(endpoint("probe_real_at = now()"))).toBe(0);
    expect(await depthOnce(endpoint("probe_real_at = null, disabled_at = now()"))).toBe(0);
    expect(await depthOnce(endpoint("disabled_at = null"))).toBe(1);
    await servicePool().query("delete from deliveries where client_id = $1", [client.clientId]);
  });
});

describe("a body over a real socket", () => {
  let server: Server;
  beforeAll(async () => {
    const api: RequestListener = getRequestListener(createSandboxApi().fetch);
    server = createServer(api);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const start = '{"first_name":"';
  const bodyOf = (bytes: number) => `${start}${"x".repeat(bytes - start.length - 2)}"}`;

  test("400, then 413: a chunked body of 64 KiB is read and validated; one more byte is refused", async () => {
    const client = await createTestClient();
    const head = headOf(client, "transfer-encoding: chunked");
    const chunked = (body: string) => {
      const chunks = body.match(/.{1,5000}/gs) ?? [];
      return `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")}0\r\n\r\n`;
    };
    expect(await send(`${head}${chunked(bodyOf(limits.requestBytesMax))}`)).toContain("validation_failed");
    expect(await send(`${head}${chunked(bodyOf(limits.requestBytesMax + 1))}`)).toContain("payload_too_large");
  });

  test("413: stops reading an endless chunked body", async () => {
    const client = await createTestClient();
    const chunk = `${(16_384).toString(16)}\r\n${"x".repeat(16_384)}\r\n`;
    const answer = await send(`${headOf(client, "transfer-encoding: chunked")}${chunk.repeat(6)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("400, then 413: a 64 KiB body is validated, and a larger content-length is refused unread", async () => {
    const client = await createTestClient();
    const largest = bodyOf(limits.requestBytesMax);
    expect(await send(`${headOf(client, `content-length: ${limits.requestBytesMax}`)}${largest}`)).toContain(
      "validation_failed",
    );
    expect(await send(headOf(client, `content-length: ${limits.requestBytesMax + 1}`))).toMatch(/^HTTP\/1\.1 413 /);
    expect(await send(headOf(client, "content-length: 10000000"))).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("400: a content-length shorter than the body truncates it, and the rest is not a request", async () => {
    const client = await createTestClient();
    const answer = await send(`${headOf(client, "content-length: 5", "keep-alive")}${bodyOf(100)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toMatch(/^HTTP\/1\.1 [25]/m);
  });

  function headOf({ clientId, clientSecret }: TestClient, length: string, connection = "close"): string {
    return `${[
      "POST /v1/user_intent HTTP/1.1",
      "host: 127.0.0.1",
      `authorization: ${basicCredentials(clientId, clientSecret)}`,
      "content-type: application/json",
      `connection: ${connection}`,
      length,
    ].join("\r\n")}\r\n\r\n`;
  }

  function send(bytes: string): Promise<string> {
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (data) => {
        answer += data;
        if (answer.endsWith("}")) socket.end();
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(answer));
    });
  }
});

async function metrics(client: TestClient): Promise<string> {
  const answer = await client.call("GET", "/metrics", { authorization: null });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=/);
  return answer.text;
}

function readSeries(text: string, series: string): number {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}
