import { randomBytes, randomUUID } from "node:crypto";

/** 32 hexadecimal digits (W3C Trace Context). */
export type TraceId = string;

/** A new trace id if the `traceparent` header is absent or malformed. */
export function traceIdOf(traceparent: string | null | undefined): TraceId {
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(traceparent ?? "");
  const isValid =
    match && !/^0+$/.test(match[1] ?? "") && !/^0+$/.test(match[2] ?? "") && !traceparent?.startsWith("ff");
  return isValid && match[1] ? match[1] : newTraceId();
}

/** From a UUID, whose random bits Node draws in bulk; 6 of the 128 bits are fixed. */
export function newTraceId(): TraceId {
  return randomUUID().replaceAll("-", "");
}

export function traceparentOf(traceId: TraceId): string {
  return `00-${traceId}-${randomBytes(8).toString("hex")}-01`;
}
