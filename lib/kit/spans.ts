import { processWide } from "./memoize.ts";
import { type TraceId, traceparentOf } from "./trace.ts";

/** Ids, our own words and numbers; never the content of a body, query or path. */
export type SpanFacts = Record<string, string | number | boolean | undefined>;

/** Without `traceparent` and `traceId`, a span is a child of the current one. */
export type SpanStart = {
  name: string;
  /** An incoming or outgoing request; internal work by default. */
  kind?: "server" | "client";
  /** From an incoming request; ignored if malformed. */
  traceparent?: string | null | undefined;
  /** If another span is current, the two are linked. */
  traceId?: TraceId | undefined;
  facts?: SpanFacts;
};

export type OpenSpan = {
  readonly traceId: TraceId;
  readonly traceparent: string;
  note: (facts: SpanFacts) => void;
  /** Marks the span as failed; `word` is the reason, in our own words. */
  fail: (word: string) => void;
  end: () => void;
};

export type Tracing = {
  /** Begins a span without making it current. */
  begin: (start: SpanStart) => OpenSpan;
  /** Runs work in a span. An error is recorded by its code or name, never by its message. */
  run: <T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>) => Promise<T>;
  /** Runs a set as one span, in the trace of the first sampled member, linked to the others. */
  runSet: <T>(start: SpanStart, members: readonly (OpenSpan | undefined)[], work: () => Promise<T>) => Promise<T>;
  current: () => OpenSpan | undefined;
  stop: () => Promise<void>;
};

// Process-wide, because Next's bundle has a second copy of this module.
const state = processWide("tracing", (): { tracing: Tracing | undefined } => ({ tracing: undefined }))();

/** Undefined unless the operator enabled tracing. */
export function tracing(): Tracing | undefined {
  return state.tracing;
}

/** Call before the first pool is opened. */
export function chooseTracing(chosen: Tracing | undefined): void {
  state.tracing = chosen;
}

/** The `traceparent` header of a call, with the current span as parent if it belongs to this trace. */
export function outgoingTraceparent(traceId: TraceId): string {
  const current = state.tracing?.current();
  return current?.traceId === traceId ? current.traceparent : traceparentOf(traceId);
}

/** Not for hot paths. */
export function inSpan<T>(start: SpanStart, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
  return state.tracing ? state.tracing.run(start, work) : work();
}
