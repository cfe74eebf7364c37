const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const signedDollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", signDisplay: "exceptZero" });

/** Whole cents as US dollars, in figures of equal width; with `sign`, money in bears a plus. */
export function Money({ cents, sign = false }: { cents: number; sign?: boolean }) {
  return <span className="whitespace-nowrap tabular-nums">{moneyText(cents, { sign })}</span>;
}

/** The same as a text. */
export function moneyText(cents: number, { sign = false } = {}): string {
  return (sign ? signedDollars : dollars).format(cents / 100).replace("-", "\u2212");
}
