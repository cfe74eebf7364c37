import { randomBytes, randomUUID } from "node:crypto";

/** The 32 hexadecimal digits that join everything one action caused (W3C Trace Context). */
export type TraceId = string;

/** The trace id of a `traceparent` header, or a new one when the header is absent or malformed. */
export function traceIdOf(traceparent: string | null | undefined): TraceId {
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(traceparent ?? "");
  const isValid =
    match && !/^0+$/.test(match[1] ?? "") && !/^0+$/.test(match[2] ?? "") && !traceparent?.startsWith("ff");
  return isValid && match[1] ? match[1] : newTraceId();
}

/** A new random trace id. Of a UUID, whose random bits Node draws for many at once; 6 of its 128 bits are fixed. */
export function newTraceId(): TraceId {
  return randomUUID().replaceAll("-", "");
}

/** The `traceparent` header to send along: this trace, and a new parent id for this very call. */
export function traceparentOf(traceId: TraceId): string {
  return `00-${traceId}-${randomBytes(8).toString("hex")}-01`;
}
