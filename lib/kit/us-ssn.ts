/** Strips dashes and spaces. */
export function ssnDigits(typed: string): string {
  return typed.replaceAll(/[\s\-‐‑–]|\p{Cf}/gu, "");
}

/**
 * Formats a complete or partly typed number as `123-45-6789`. Leaves up to four digits as they are, because the last four
 * are a valid answer too. Other text is returned unchanged.
 */
export function formatSsn(text: string): string {
  const digits = ssnDigits(text);
  if (!/^\d{0,9}$/.test(digits)) return text;
  if (digits.length <= 4) return digits;
  return [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)].filter((part) => part !== "").join("-");
}
