import type { Money as MoneyReading } from "#client";
import { Money, moneyText } from "#components/ui/money.tsx";
import { useWords } from "#use-words";

/** An amount from the service in US dollars: exact, rounded, or as written if it can't be parsed. */
export function Amount({ money, sign = false }: { money: MoneyReading; sign?: boolean }) {
  const t = useWords("amounts");
  switch (money.kind) {
    case "exact":
      return <Money cents={money.cents} sign={sign} />;
    case "rounded":
      return (
        <span className="whitespace-nowrap tabular-nums" title={`${money.written} USD`}>
          {t("about", { amount: moneyText(money.cents, { sign }) })}
        </span>
      );
    case "unknown":
      return <span className="tabular-nums">{money.written ?? t("unknown")}</span>;
  }
}

/** Like `Amount`, as text for a sentence. */
export function useAmountText(): (money: MoneyReading) => string {
  const t = useWords("amounts");
  return (money) => {
    switch (money.kind) {
      case "exact":
        return moneyText(money.cents);
      case "rounded":
        return t("about", { amount: moneyText(money.cents) });
      case "unknown":
        return money.written ?? t("unknownAmount");
    }
  };
}
