import type { Money as MoneyReading } from "#client";
import { Money, moneyText } from "#components/ui/money.tsx";

/** An amount from the service in US dollars: exact, rounded, or as written if it can't be parsed. */
export function Amount({ money, sign = false }: { money: MoneyReading; sign?: boolean }) {
  switch (money.kind) {
    case "exact":
      return <Money cents={money.cents} sign={sign} />;
    case "rounded":
      return (
        <span className="whitespace-nowrap tabular-nums" title={`${money.written} USD`}>
          about <Money cents={money.cents} sign={sign} />
        </span>
      );
    case "unknown":
      return <span className="tabular-nums">{money.written ?? "Unknown"}</span>;
  }
}

/** The same in a sentence. */
export function amountText(money: MoneyReading): string {
  switch (money.kind) {
    case "exact":
      return moneyText(money.cents);
    case "rounded":
      return `about ${moneyText(money.cents)}`;
    case "unknown":
      return money.written ?? "an unknown amount";
  }
}
