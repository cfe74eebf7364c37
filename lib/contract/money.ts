// Decision D13: converts decimal text, never by multiplying: 1.005 * 100 is not 100.5.

/** Undefined for more than two decimals. */
export function centsFromAmount(amount: number): number | undefined {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount));
  if (!match) return undefined;
  const [, sign, dollars = "", decimals = ""] = match;
  const cents = Number(dollars) * 100 + Number(decimals.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? (sign ? -cents : cents) : undefined;
}

/** The number whose JSON text is exactly that amount. */
export function amountFromCents(cents: number): number {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return Number(`${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}
