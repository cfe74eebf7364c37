import * as z from "zod/mini";
import { type ErrorReason, type ErrorStatus, refusals } from "./errors.ts";
import { limits } from "./limits.ts";
import { openEnum, wholeNumber, wireFacts } from "./text.ts";

export type FaultStatus = ErrorStatus;

const statuses = [...new Set(Object.values(refusals).map(({ status }) => status))];

/** Whether a call's connection is cut before it takes effect, or afterwards, which loses only the answer. */
export const faultCuts = ["before", "after"] as const;
export type FaultCut = (typeof faultCuts)[number];

/** The operation name for redirects back from the authorization pages. */
export const redirectBack = "authorize";

/** What the next redirects back contain instead of their own: a random state, another issuer, or another person's code. */
export const foreignParts = ["state", "issuer", "person"] as const;
export type ForeignPart = (typeof foreignParts)[number];

/**
 * The next `times` calls of an operation wait `latency_ms`, then fail with `status` and no effect, or have their
 * connection `cut`. For `authorize`, the next redirects back have a `foreign` part. Decision D16
 */
export function faultRequest(callOperations: readonly string[]) {
  const operations = [...callOperations, redirectBack];
  return z
    .strictObject({
      operation: z.enum(operations, { error: `Must be one of: ${operations.join(", ")}.` }),
      status: z.optional(z.literal(statuses, { error: `Must be one of: ${statuses.join(", ")}.` })),
      cut: z.optional(z.enum(faultCuts)),
      foreign: z.optional(z.enum(foreignParts)),
      latency_ms: z.optional(wholeNumber(limits.faultLatencyMsMax)),
      times: wholeNumber(limits.faultTimesMax),
    })
    .check(
      z.refine(({ operation, foreign }) => (operation === redirectBack) === (foreign !== undefined), {
        message: `Send foreign for ${redirectBack}, and for no other operation.`,
        path: ["foreign"],
      }),
      z.refine(({ foreign, status, cut, latency_ms }) => foreign === undefined || !(status ?? cut ?? latency_ms), {
        message: "A redirect back takes only foreign.",
        path: ["foreign"],
      }),
      z.refine(
        ({ operation, foreign, ...fault }) =>
          operation === redirectBack ||
          [foreign, fault.status, fault.cut, fault.latency_ms].some((part) => part !== undefined),
        { message: "Send status, cut or latency_ms.", path: ["status"] },
      ),
      z.refine((fault) => fault.status === undefined || fault.cut === undefined, {
        message: "Send either status or cut: a cut connection has no status.",
        path: ["cut"],
      }),
    )
    .register(wireFacts, { examples: [{ operation: "createBookRoutine", status: 503, times: 1 }] });
}

/** The pending faults by operation. `times` counts down. */
export const faultList = z.object({
  faults: z.array(
    z.object({
      operation: z.string(),
      status: z.nullable(z.number()),
      cut: z.nullable(openEnum(faultCuts)),
      foreign: z.nullable(openEnum(foreignParts)),
      latency_ms: z.number(),
      times: z.number(),
    }),
  ),
});
export type FaultList = z.infer<typeof faultList>;

/** The reason that an injected fault gives for each status. */
export const faultReasons = {
  400: "invalid_json",
  401: "invalid_client",
  403: "user_not_approved",
  404: "not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  409: "idempotency_in_progress",
  413: "payload_too_large",
  415: "unsupported_media_type",
  422: "instrument_not_usable",
  429: "rate_limited",
  500: "internal_error",
  502: "customer_endpoint_failed",
  503: "unavailable",
} as const satisfies Record<FaultStatus, ErrorReason>;
