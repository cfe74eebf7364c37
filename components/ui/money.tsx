const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const signedDollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", signDisplay: "exceptZero" });

/** Cents as US dollars; with `sign`, positive amounts get a plus. */
export function Money({ cents, sign = false }: { cents: number; sign?: boolean }) {
  return <span className="whitespace-nowrap tabular-nums">{moneyText(cents, { sign })}</span>;
}

export function moneyText(cents: number, { sign = false } = {}): string {
  return (sign ? signedDollars : dollars).format(cents / 100).replace("-", "\u2212");
}
