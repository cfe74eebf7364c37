import { Money } from "#components/ui/money.tsx";
import { centsFromAmount } from "#lib/contract/money.ts";

/** An amount of the service in US dollars. One that is no whole number of cents is shown as it was written, and never as another. */
export function Amount({ dollars, sign = false }: { dollars: number; sign?: boolean }) {
  const cents = centsFromAmount(dollars);
  if (cents !== undefined) return <Money cents={cents} sign={sign} />;
  return <span className="whitespace-nowrap tabular-nums">{String(dollars)} USD</span>;
}
