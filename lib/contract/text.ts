import * as z from "zod/mini";
import { wireFacts } from "./wire-facts.ts";

/**
 * Text of 1 to `charactersMax` characters in any script, neither blank nor holding control characters. Length counts
 * characters. Characters that override the direction of what surrounds them are refused, because a name could then make the
 * sentence in which it is shown say something else; the scripts that are written from right to left need none of them.
 */
export function text(charactersMax: number) {
  return z
    .string()
    .check(
      z.refine((value) => value.trim().length > 0, { message: "Must not be empty.", abort: true }),
      z.refine((value) => [...value].length <= charactersMax, `Has at most ${charactersMax} characters.`),
      // PostgreSQL cannot hold NUL, and a lone surrogate is not UTF-8.
      z.refine((value) => !/\p{Cc}/u.test(value) && value.isWellFormed(), "Must not hold control characters."),
      z.refine(
        (value) => !/[\u202a-\u202e\u2066-\u2069]/.test(value),
        "Must not hold characters that turn text around.",
      ),
    )
    .register(wireFacts, {
      minLength: 1,
      maxLength: charactersMax,
      pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$",
    });
}

/** A UUID of any version, in any case. */
export const uuid = z.guid("Must be a UUID.");
/** An ISO 8601 time in UTC with milliseconds, as in `2026-01-31T09:30:00.000Z`. */
export const timestamp = z.iso
  .datetime("Must be an ISO 8601 time.")
  .register(wireFacts, { type: "string", format: "date-time" });

/** An identifier in an answer: a UUID today. Whoever reads it must accept any text. */
export const identifier = z.string().register(wireFacts, { format: "uuid" });

/** A word in an answer: one of these today. Whoever reads it must accept others. */
export function word(words: readonly string[]) {
  return z.string().register(wireFacts, { enum: words });
}
