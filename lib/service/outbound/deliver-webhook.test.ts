import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { breakResolver } from "../testing/break-resolver.ts";
import { deliverWebhook } from "./deliver-webhook.ts";

let fake: FakeServer;
beforeEach(async () => {
  fake = await startFakeServer();
});
afterEach(() => fake.stop());

// Ten real seconds, because network timeouts don't use a fake clock.
test("times out after 10 s, and accepts a response whose body is endless or exceeds 64 KiB", async () => {
  fake.answer((request, response) => {
    if (request.path === "/endless") response.writeHead(200).write("…");
    if (request.path === "/large") response.writeHead(200).write("x".repeat(100_000));
  });
  const startedAt = performance.now();
  const silent = send("/silent");
  const [endless, large] = [send("/endless"), send("/large")];
  const answered = { kind: "answered", status: 200, retryAfter: undefined };
  expect(await Promise.race([silent, endless, large.then((reply) => ({ large: reply }))])).toEqual({ large: answered });
  expect(await Promise.all([silent, endless])).toEqual([{ kind: "unanswered", error: "timeout" }, answered]);
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(9900);
  expect(tookMs).toBeLessThan(20_000);
});

test("reads a response up to the requested size, and keeps what arrived", async () => {
  fake.answer((request, response) => {
    if (request.path === "/breaks-off") return response.writeHead(500).write("half", () => response.destroy());
    if (request.path === "/long") return response.writeHead(200).end("x".repeat(200_000));
    return response.writeHead(200).end("é".repeat(10));
  });
  const stopping = new AbortController().signal;
  const answerOf = async (path: string, answerBytesMax: number) =>
    deliverWebhook({ ...webhook(), url: fake.url + path, answerBytesMax }, stopping);
  expect(await answerOf("/", 5)).toEqual({ kind: "answered", status: 200, retryAfter: undefined, answer: "éé" });
  expect(await answerOf("/", 100)).toMatchObject({ answer: "é".repeat(10) });
  expect(await answerOf("/long", 100)).toMatchObject({ status: 200, answer: "x".repeat(100) });
  expect(await answerOf("/breaks-off", 100)).toMatchObject({ status: 500, answer: "half" });
  expect(await send("/")).toEqual({ kind: "answered", status: 200, retryAfter: undefined });
});

test.each([301, 302, 303, 307, 308])("does not follow %i, which is not a success", async (status) => {
  fake.answer((_request, response) => response.writeHead(status, { location: `${fake.url}/elsewhere` }).end());
  expect(await send("/")).toEqual({ kind: "answered", status, retryAfter: undefined });
  expect(fake.requests).toHaveLength(1);
});

test("informational responses are ignored", async () => {
  fake.answer((_request, response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => response.writeHead(204).end());
  });
  expect(await send("/")).toEqual({ kind: "answered", status: 204, retryAfter: undefined });
});

test("an invalid address is reported and not dialed", async () => {
  const reply = await deliverWebhook({ ...webhook(), url: "nowhere" }, new AbortController().signal);
  expect(reply).toEqual({ kind: "unanswered", error: "err_invalid_url" });
});

test("a resolver failure is this process's fault, not the receiver's", async () => {
  const restore = breakResolver("EAI_AGAIN");
  try {
    const reply = await deliverWebhook({ ...webhook(), url: "http://receiver.example" }, new AbortController().signal);
    expect(reply).toEqual({ kind: "not_sent", error: "eai_again" });
  } finally {
    await restore();
  }
});

test("nothing is sent once the process is stopping, even if it was waiting for a connection", async () => {
  const reply = await deliverWebhook({ ...webhook(), url: fake.url }, AbortSignal.abort());
  expect(reply.kind).toBe("unanswered");
  const stopping = new AbortController();
  const waiting = deliverWebhook({ ...webhook(), url: `${fake.url}/stopped` }, stopping.signal);
  stopping.abort();
  expect(await waiting).toEqual({ kind: "unanswered", error: "stopped" });
  await send("/later");
  expect(fake.requests.map(({ path }) => path)).toEqual(["/later"]);
});

test("a finished attempt removes its shutdown listener", async () => {
  const { signal } = new AbortController();
  await deliverWebhook({ ...webhook(), url: fake.url }, signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("uses the first of several retry-after headers", async () => {
  fake.answer((_request, response) => response.writeHead(503, ["retry-after", "60", "retry-after", "90"]).end());
  expect(await send("/")).toEqual({ kind: "answered", status: 503, retryAfter: "60" });
});

test.each([
  ["http://169.254.169.254/latest", "address_refused"],
  ["http://10.0.0.1/", "address_refused"],
  ["http://[::ffff:10.0.0.1]/", "address_refused"],
])("does not dial %s", async (url, error) => {
  expect(await deliverWebhook({ ...webhook(), url }, new AbortController().signal)).toEqual({
    kind: "unanswered",
    error,
  });
});

function send(path: string) {
  return deliverWebhook({ ...webhook(), url: fake.url + path }, new AbortController().signal);
}

function webhook() {
  return { id: newId(), body: "{}", secrets: ["whsec_AAAA"], traceId: "ab".repeat(16), sentAt: new Date() };
}
