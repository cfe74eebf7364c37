import type { RequestListener } from "node:http";
import { InMemorySpanExporter, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "#client";
import { chooseTracing, inSpan, tracing } from "../lib/kit/spans.ts";
import { listenOnFreePort } from "../lib/kit/testing/http-listener.ts";
import { newTraceId, traceIdOf } from "../lib/kit/trace.ts";
import { currentAction, withinRequest } from "../lib/partner/requests/current-action.ts";
import { startOpenTelemetry } from "./open-telemetry.ts";
import { beginTracing, endTracing, inPageSpan, wantsSpans } from "./start-tracing.ts";

const kept: ReadableSpan[] = [];
beforeEach(() => {
  kept.length = 0;
  const exporter = new InMemorySpanExporter();
  exporter.export = (spans, done) => {
    kept.push(...spans);
    done({ code: 0 });
  };
  chooseTracing(
    startOpenTelemetry({
      serviceName: "harbor",
      version: "1.2.3",
      roles: ["partner"],
      environment: {},
      exporter,
      scheduledDelayMs: 5,
    }),
  );
});
afterEach(async () => {
  await tracing()?.stop();
  chooseTracing(undefined);
});

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

test.each([
  [false, {}],
  [false, { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
  [true, endpoint],
  [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" }],
  [false, { ...endpoint, OTEL_SDK_DISABLED: "true" }],
  [true, { ...endpoint, OTEL_SDK_DISABLED: "false" }],
  [false, { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
])("spans are recorded: %s, with %j", (expected, environment) => {
  expect(wantsSpans(environment)).toBe(expected);
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_TRACES_SAMPLER", "sometimes"],
  ["OTEL_TRACES_SAMPLER_ARG", "half"],
  ["OTEL_TRACES_SAMPLER_ARG", "-0.1"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
])("a process does not start with %s=%s, and names the variable", async (name, value) => {
  await expect(beginTracing(new Set(["partner"]), "1.2.3", { ...endpoint, [name]: value })).rejects.toThrow(name);
});

test("a page's span is named by its first segment, without ids and the query", async () => {
  const page = await serve((request, response) => {
    inPageSpan({ app: "service" }, request, response, () => {
      response.writeHead(404).end(`${request.headers["traceparent"]} ${request.rawHeaders.join()}`);
    });
  });
  const traceId = newTraceId();
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const answer = await fetch(`${page.url}/login/oauth/authorize/a-visit?session_token=a-secret`, { headers });
  const text = await answer.text();
  await page.stop();
  const [span] = await spansOf(1);
  expect(span?.resource.attributes).toMatchObject({
    "service.name": "harbor",
    "service.version": "1.2.3",
    "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    "gangway.roles": ["partner"],
  });
  expect(span).toMatchObject({ name: "GET /login", parentSpanContext: { traceId, spanId: "00f067aa0ba902b7" } });
  expect(span?.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 404,
    "gangway.app": "service",
  });
  // Both header lists contain it.
  const traceparent = `00-${traceId}-${span?.spanContext().spanId}-01`;
  expect(text.split(traceparent)).toHaveLength(3);
  expect(text).not.toContain("00f067aa0ba902b7");
});

test("a page's span records an error or a client disconnect", async () => {
  const page = await serve((request, response) => {
    inPageSpan({ app: "partner" }, request, response, () => {
      if (request.url === "/dashboard") response.writeHead(500).end();
      else response.writeHead(200).write("half");
    });
  });
  await (await fetch(`${page.url}/dashboard`)).text();
  const leaving = new AbortController();
  await fetch(`${page.url}/routines`, { signal: leaving.signal });
  leaving.abort();
  const spans = await spansOf(2);
  await page.stop();
  expect(spans.map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
    ["GET /dashboard", "500"],
    ["GET /routines", "cut"],
  ]);
});

test("a page's span ends although the client left before the page was ready", async () => {
  const leaving = new AbortController();
  const page = await serve((request, response) => {
    response.once("close", () => inPageSpan({ app: "partner" }, request, response, () => void response.end()));
    leaving.abort();
  });
  await expect(fetch(`${page.url}/dashboard`, { signal: leaving.signal })).rejects.toThrow("aborted");
  const [span] = await spansOf(1);
  await page.stop();
  expect([span?.name, span?.attributes["error.type"]]).toEqual(["GET /dashboard", "cut"]);
});

test("scripts and styles have no span", async () => {
  const page = await serve((request, response) => {
    inPageSpan({ app: "partner" }, request, response, () => void response.end("a file"));
  });
  expect(await (await fetch(`${page.url}/_next/static/a.js`)).text()).toBe("a file");
  await (await fetch(`${page.url}/dashboard`)).text();
  await page.stop();
  expect((await spansOf(1)).map(({ name }) => name)).toEqual(["GET /dashboard"]);
});

test("browsers can't set the trace; their actions and calls to the service use the page span's trace", async () => {
  const received: string[] = [];
  const service = await serve((request, response) => {
    received.push(String(request.headers["traceparent"]));
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  const client = createClient({
    baseUrl: service.url,
    clientId: "c",
    clientSecret: "s",
    provider: "p",
    currentTraceId: () => currentAction()?.traceId,
    inSpan,
  });
  const harbor = await serve((request, response) => {
    inPageSpan({ app: "partner", continuesTraceAt: () => false }, request, response, () =>
      withinRequest(request, () => {
        void client.readUserIntent("0190a0b0-0000-7000-8000-000000000001").then(() => response.end());
      }),
    );
  });
  const traceId = newTraceId();
  await fetch(`${harbor.url}/dashboard`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
  await harbor.stop();
  await service.stop();
  const spans = await spansOf(2);
  const page = spans.find(({ name }) => name === "GET /dashboard");
  const call = spans.find(({ name }) => name === "GET /v1/user_intent/{id}");
  expect(page?.parentSpanContext).toBeUndefined();
  expect(page?.spanContext().traceId).not.toBe(traceId);
  expect(call?.parentSpanContext?.spanId).toBe(page?.spanContext().spanId);
  expect(received).toEqual([`00-${page?.spanContext().traceId}-${call?.spanContext().spanId}-01`]);
  expect(call?.attributes).toMatchObject({ "http.response.status_code": 404, "error.type": "refused" });
});

test("a process sends its last spans before it ends", async () => {
  const sent: string[] = [];
  const exporter = new InMemorySpanExporter();
  exporter.export = (spans, done) =>
    void setImmediate(() => {
      sent.push(...spans.map(({ name }) => name));
      done({ code: 0 });
    });
  const started = { serviceName: "harbor", version: "1.2.3", roles: ["partner"], environment: {}, exporter };
  chooseTracing(startOpenTelemetry({ ...started, scheduledDelayMs: 3_600_000 }));
  await inSpan({ name: "the last" }, async () => {});
  await endTracing();
  expect(sent).toEqual(["the last"]);
  expect(tracing()).toBeUndefined();
});

test("without tracing a page is handled unchanged, and so is its traceparent", async () => {
  chooseTracing(undefined);
  const page = await serve((request, response) => {
    inPageSpan({ app: "service" }, request, response, () => void response.end(String(request.headers["traceparent"])));
  });
  const traceparent = `00-${newTraceId()}-00f067aa0ba902b7-01`;
  const answer = await fetch(page.url, { headers: { traceparent } });
  expect(await answer.text()).toBe(traceparent);
  expect(traceIdOf(traceparent)).toBe(traceparent.split("-")[1]);
  await page.stop();
});

function serve(handle: RequestListener) {
  return listenOnFreePort(handle);
}

async function spansOf(count: number): Promise<ReadableSpan[]> {
  await expect.poll(() => kept.length, { interval: 5 }).toBe(count);
  return kept;
}
