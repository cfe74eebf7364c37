/**
 * An amount in US dollars as another program wrote it. `exact`: whole cents. `rounded`: it had a fraction of a cent, as
 * binary fractions have. `unknown`: absent, no number, or in another currency. `written` is how it came.
 */
export type Money =
  | { kind: "exact"; cents: number }
  | { kind: "rounded"; cents: number; written: string }
  | { kind: "unknown"; written: string | undefined };

// 12, 12.5, "12.50", 1.2e3: JSON's numbers, and texts that hold one.
const decimal = /^\s*([+-]?)(\d{1,20})(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?\s*$/;

/** Reads an amount by its decimal digits, never by multiplying; a number or a text. What cannot be read is unknown and never zero. */
export function readMoney(value: unknown): Money {
  const written = typeof value === "number" || typeof value === "string" ? String(value) : undefined;
  const match = written === undefined ? null : decimal.exec(written);
  if (written === undefined || !match) return { kind: "unknown", written: written ?? textOf(value) };
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  // The digits with the point moved to behind the cents: `places` of them lie right of it.
  const places = fraction.length - Number(exponent) - 2;
  const digits = BigInt(whole + fraction) * 10n ** BigInt(Math.max(-places, 0));
  const unit = 10n ** BigInt(Math.max(places, 0));
  const cents = Number((digits + unit / 2n) / unit) * (sign === "-" ? -1 : 1);
  if (!Number.isSafeInteger(cents)) return { kind: "unknown", written };
  return digits % unit === 0n ? { kind: "exact", cents: cents || 0 } : { kind: "rounded", cents: cents || 0, written };
}

/** The cents of an amount, rounded ones included; undefined when it is unknown. */
export function centsOf(money: Money): number | undefined {
  return money.kind === "unknown" ? undefined : money.cents;
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value).slice(0, 60);
}
