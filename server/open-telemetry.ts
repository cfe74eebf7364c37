import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { log } from "../lib/kit/log.ts";
import type { OpenSpan, SpanFacts, SpanStart, Tracing } from "../lib/kit/spans.ts";
import { newTraceId } from "../lib/kit/trace.ts";

// The only file that imports OpenTelemetry, loaded only if tracing is on (server/start-tracing.ts). The provider isn't global,
// because Next would then create spans with whole addresses, codes and tokens included.

type Environment = Record<string, string | undefined>;

/** For tests: `exporter` replaces OTLP over HTTP. */
export type OpenTelemetryOptions = {
  serviceName: string;
  version: string;
  roles: readonly string[];
  environment: Environment;
  exporter?: SpanExporter;
  scheduledDelayMs?: number;
};

const samplers: Record<string, (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

const stopMs = 3000;

/** Throws when a sampler variable is invalid. */
export function startOpenTelemetry(options: OpenTelemetryOptions): Tracing {
  const { serviceName, version, roles, environment } = options;
  const { exporter = new OTLPTraceExporter(), scheduledDelayMs = 5000 } = options;
  const ids = new SettableTraceIds();
  const provider = new TracerProvider({
    sampler: samplerOf(environment),
    idGenerator: ids,
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          "service.name": serviceName,
          "service.version": version,
          "service.instance.id": randomUUID(),
          "gangway.roles": [...roles],
        }),
      )
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: logFailures(exporter), scheduledDelayMillis: scheduledDelayMs }),
    ],
  });
  return tracingBy(provider.getTracer("gangway"), ids, () => provider.shutdown());
}

/** Reads OpenTelemetry's standard variables, because the SDK's own reader is in a larger package. */
function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: Environment): Sampler {
  const name = OTEL_TRACES_SAMPLER || "parentbased_always_on";
  const make = samplers[name];
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG || 1);
  if (!make) throw new Error(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(samplers).join(", ")}.`);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.");
  return make(ratio);
}

/** Random span ids; the next trace id can be set, because the project creates and stores its own. */
class SettableTraceIds extends RandomIdGenerator {
  #next: string | undefined;

  setNext(traceId: string): void {
    this.#next = traceId;
  }

  override generateTraceId(): string {
    const next = this.#next ?? newTraceId();
    this.#next = undefined;
    return next;
  }
}

const failuresEveryMs = 60_000;

// Logs an unreachable collector once a minute, not every few seconds.
function logFailures(exporter: SpanExporter): SpanExporter {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== 0 && performance.now() - loggedAt > failuresEveryMs) {
          loggedAt = performance.now();
          log().warn({ spans: spans.length, error: errorCodeOf(result.error) }, "spans could not be sent");
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

type Held = OpenSpan & { span: Span };

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

function tracingBy(tracer: Tracer, ids: SettableTraceIds, shutDown: () => Promise<void>): Tracing {
  const open = new AsyncLocalStorage<Held | undefined>();

  function begin({ name, kind, traceparent, traceId, facts }: SpanStart, links: Link[] = []): Held {
    const current = open.getStore();
    const isElsewhere = traceId !== undefined && traceId !== current?.traceId;
    const parent = remoteParent(traceparent) ?? (isElsewhere || !current ? undefined : inContext(current.span));
    if (isElsewhere && !parent) ids.setNext(traceId);
    if (current && (isElsewhere || remoteParent(traceparent))) links.push({ context: current.span.spanContext() });
    const options = { kind: kind ? kinds[kind] : SpanKind.INTERNAL, links, attributes: known(facts) };
    return hold(tracer.startSpan(name, options, parent ?? ROOT_CONTEXT));
  }

  async function run<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>, links?: Link[]): Promise<T> {
    const held = begin(start, links);
    return within(held, () => work(held));
  }

  async function within<T>(held: Held, work: () => Promise<T>): Promise<T> {
    try {
      return await open.run(held, work);
    } catch (error) {
      held.fail(errorCodeOf(error));
      throw error;
    } finally {
      held.end();
    }
  }

  function runSet<T>(start: SpanStart, members: readonly (OpenSpan | undefined)[], work: () => Promise<T>): Promise<T> {
    const all = (members as (Held | undefined)[]).filter((member) => member !== undefined);
    const first = all.find(({ span }) => span.isRecording()) ?? all[0];
    const others = all.filter((member) => member !== first);
    const links = others.map(({ span }) => ({ context: span.spanContext() }));
    // Not under the current span, which belongs to one member of the set or to none.
    return open.run(first, () => {
      const held = begin(start, links);
      for (const { span } of others) span.addLink({ context: held.span.spanContext() });
      return within(held, work);
    });
  }

  return {
    begin: (start) => begin(start),
    run,
    runSet,
    current: () => open.getStore(),
    stop: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref());
      await Promise.race([shutDown().catch(() => {}), late]);
    },
  };
}

function hold(span: Span): Held {
  return {
    span,
    traceId: span.spanContext().traceId,
    traceparent: traceparentFor(span),
    note: (facts) => void span.setAttributes(known(facts)),
    fail: (code) => void span.setAttribute("error.type", code).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
}

function inContext(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

// Ignores a malformed header, like lib/kit/trace.ts.
function remoteParent(traceparent: string | null | undefined): Context | undefined {
  const [, traceId = "", spanId = "", flags = ""] =
    /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})/.exec(traceparent ?? "") ?? [];
  if (!traceId) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function traceparentFor(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? "01" : "00"}`;
}

function known(facts: SpanFacts = {}): Record<string, string | number | boolean> {
  const entries = Object.entries(facts).filter((entry): entry is [string, string | number | boolean] => {
    return entry[1] !== undefined;
  });
  return Object.fromEntries(entries);
}

/** The error's code (SQLSTATE, ECONNREFUSED) or its name, because its message may quote a value. */
function errorCodeOf(error: unknown): string {
  const ownCode = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const code = ownCode ?? (error instanceof Error ? error.name : "unknown");
  return /^\w{1,60}$/.test(code) ? code : "error";
}
