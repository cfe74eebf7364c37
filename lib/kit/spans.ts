import { processWide } from "./memoize.ts";
import { type TraceId, traceparentOf } from "./trace.ts";

/** What a span says beside its name: ids, words of ours and numbers; never anything that a body, a query or a path held. */
export type SpanFacts = Record<string, string | number | boolean | undefined>;

/** How a span begins. Without `traceparent` and `traceId` it belongs to the span that is open here, if there is one. */
export type SpanStart = {
  /** One of few: an operation, a statement, a route. */
  name: string;
  /** A request that came in, one that goes out, or work of our own (when left out). */
  kind?: "server" | "client";
  /** The header of the request that it serves; an absent or malformed one means nothing. */
  traceparent?: string | null | undefined;
  /** The trace that it belongs to. When another span is open here, the two are linked. */
  traceId?: TraceId | undefined;
  facts?: SpanFacts;
};

/** A span that has begun. */
export type OpenSpan = {
  readonly traceId: TraceId;
  /** The header that makes it the parent of a call. */
  readonly traceparent: string;
  note: (facts: SpanFacts) => void;
  /** It did not do what it was to do; `word` says why, in a word of ours. */
  fail: (word: string) => void;
  end: () => void;
};

/** What makes spans of what the process does. */
export type Tracing = {
  /** Begins a span that is not the open one of what follows. */
  begin: (start: SpanStart) => OpenSpan;
  /** Does some work as a span, which ends with it. An error is told by its code or its name, never by its text. */
  run: <T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>) => Promise<T>;
  /** Does the work of a set as one span: in the trace of the first member that is kept, and linked with the others. */
  runSet: <T>(start: SpanStart, members: readonly (OpenSpan | undefined)[], work: () => Promise<T>) => Promise<T>;
  /** The span that is open here. */
  current: () => OpenSpan | undefined;
  /** Sends what has not been sent, for a few seconds at most. */
  stop: () => Promise<void>;
};

// Process-wide, because Next's bundle has a second copy of this module.
const place = processWide("tracing", (): { tracing: Tracing | undefined } => ({ tracing: undefined }))();

/** What makes spans in this process; undefined unless the operator asked for them, and then nothing of it is loaded. */
export function tracing(): Tracing | undefined {
  return place.tracing;
}

/** Has spans made from now on. Called before the first pool is opened, because a pool asks once. */
export function chooseTracing(chosen: Tracing | undefined): void {
  place.tracing = chosen;
}

/** The `traceparent` header of a call: with the open span as its parent, where that belongs to this trace. */
export function outgoingTraceparent(traceId: TraceId): string {
  const current = place.tracing?.current();
  return current?.traceId === traceId ? current.traceparent : traceparentOf(traceId);
}

/** Does some work as a span of its own, or just does it. For what is no hot path. */
export function inSpan<T>(start: SpanStart, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
  return place.tracing ? place.tracing.run(start, work) : work();
}
