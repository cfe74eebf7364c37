import { Money } from "#components/ui/money.tsx";
import { centsFromAmount } from "#lib/contract/money.ts";

/** An amount in US dollars as an answer has it; one that is no amount is shown as it came. */
export function Usd({ amount }: { amount: number }) {
  const cents = centsFromAmount(amount);
  return cents === undefined ? String(amount) : <Money cents={cents} />;
}
