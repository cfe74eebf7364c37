import * as z from "zod/mini";

/**
 * JSON Schema keywords for a schema whose rule is code. They're merged into what zod derives, or replace it if they
 * include a `type`.
 */
export const wireFacts = z.registry<Record<string, unknown>>();

/**
 * 1 to `charactersMax` characters (not UTF-16 units), not blank, without control characters. Refuses bidirectional
 * overrides, because a name could change the sentence that shows it.
 */
export function text(charactersMax: number) {
  return z
    .string()
    .check(
      z.refine((value) => value.trim().length > 0, { message: "Must not be empty.", abort: true }),
      z.refine((value) => [...value].length <= charactersMax, `Must have at most ${charactersMax} characters.`),
      // PostgreSQL can't store NUL, and a lone surrogate is not UTF-8.
      z.refine((value) => !/\p{Cc}/u.test(value) && value.isWellFormed(), "Must not contain control characters."),
      z.refine(
        (value) => !/[\u202a-\u202e\u2066-\u2069]/.test(value),
        "Must not contain bidirectional control characters.",
      ),
    )
    .register(wireFacts, {
      minLength: 1,
      maxLength: charactersMax,
      pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$",
    });
}

/** From 1 to `max`. */
export function wholeNumber(max: number) {
  return z
    .int("Must be a whole number.")
    .check(z.minimum(1, "Must be at least 1."), z.maximum(max, `Must be at most ${max}.`));
}

/** Any version, any case. */
export const uuid = z.guid("Must be a UUID.");
/** ISO 8601 in UTC. Ours have milliseconds, as in `2026-01-31T09:30:00.000Z`. */
export const timestamp = z.iso
  .datetime("Must be an ISO 8601 time.")
  .register(wireFacts, { type: "string", format: "date-time" });

/** A UUID today, but clients must accept any text. */
export const identifier = z.string();

/** One of these values today, but clients must accept others. */
export function openEnum(values: readonly string[]) {
  return z.string().register(wireFacts, { "x-extensible-enum": values });
}
