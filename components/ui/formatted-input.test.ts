import { expect, test } from "vitest";
import { formatSsn } from "#lib/kit/us-formats.ts";
import { formatPhone } from "#lib/kit/us-phone.ts";
import { keepCaret } from "./formatted-input.tsx";

// `|` marks the caret.
test.each([
  ["the first digit", formatPhone, "4|", false, "4|"],
  ["the fourth digit", formatPhone, "4155|", false, "(415) 5|"],
  ["the seventh digit", formatPhone, "(415) 5550|", false, "(415) 555-0|"],
  ["a whole number, pasted", formatPhone, "+1 415.555.0123|", false, "(415) 555-0123|"],
  ["a digit in the middle", formatPhone, "(415) 95|5-012", false, "(415) 95|5-012"],
  ["a digit at the beginning", formatPhone, "4|(15) 555-012", false, "(4|15) 555-012"],
  ["Backspace after a bracket", formatPhone, "(415)|555-0123", false, "(415|) 555-0123"],
  ["Backspace in the area code", formatPhone, "(41|) 555-0123", false, "(41|5) 550-123"],
  ["Backspace at the end of four", formatPhone, "(415) |", false, "415|"],
  ["Delete before a bracket", formatPhone, "(415| 555-0123", true, "(415) |555-0123"],
  ["the country code, with the caret before it", formatPhone, "|+14155550123", false, "|(415) 555-0123"],
  ["a foreign number", formatPhone, "+44 20| 7946", false, "+44 20| 7946"],
  ["the fifth digit of an ssn", formatSsn, "12345|", false, "123-45|"],
  ["a typed dash", formatSsn, "123-45-|", false, "123-45|"],
  ["a deleted dash", formatSsn, "123|45-6789", false, "123|-45-6789"],
  ["a dash deleted with Delete", formatSsn, "123|45-6789", true, "123-|45-6789"],
])("the caret stays after %s", (_edit, format, before, isForward, expected) => {
  const caret = before.indexOf("|");
  const kept = keepCaret({ text: before.replace("|", ""), caret, format, isForward });
  expect(`${kept.text.slice(0, kept.caret)}|${kept.text.slice(kept.caret)}`).toBe(expected);
});
