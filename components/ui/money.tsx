const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const signedDollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", signDisplay: "exceptZero" });

/** Whole cents as US dollars, in figures of equal width; with `sign`, money in bears a plus. */
export function Money({ cents, sign = false }: { cents: number; sign?: boolean }) {
  const text = (sign ? signedDollars : dollars).format(cents / 100).replace("-", "\u2212");
  return <span className="whitespace-nowrap tabular-nums">{text}</span>;
}
