/** Whatever digits were typed, without the dashes and spaces that people write between them. */
export function ssnDigits(typed: string): string {
  return typed.replaceAll(/[\s\-‐‑–]|\p{Cf}/gu, "");
}

/** A social security number as people write it, `123-45-6789`, as far as it has been typed; up to four digits stay as they are, because the last four alone are an answer too. Anything else comes back as it was. */
export function formatSsn(text: string): string {
  const digits = ssnDigits(text);
  if (!/^\d{0,9}$/.test(digits)) return text;
  if (digits.length <= 4) return digits;
  return [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)].filter((part) => part !== "").join("-");
}
