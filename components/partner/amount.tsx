import type { Money as Told } from "#client";
import { Money, moneyText } from "#components/ui/money.tsx";

/** An amount that the service told, in US dollars. A rounded one says so; one that is not known is shown as it was written, and never as another. */
export function Amount({ told, sign = false }: { told: Told; sign?: boolean }) {
  switch (told.kind) {
    case "exact":
      return <Money cents={told.cents} sign={sign} />;
    case "rounded":
      return (
        <span className="whitespace-nowrap tabular-nums" title={`${told.written} USD`}>
          about <Money cents={told.cents} sign={sign} />
        </span>
      );
    case "unknown":
      return <span className="tabular-nums">{told.written ?? "Not known"}</span>;
  }
}

/** The same in a sentence. */
export function amountText(told: Told): string {
  switch (told.kind) {
    case "exact":
      return moneyText(told.cents);
    case "rounded":
      return `about ${moneyText(told.cents)}`;
    case "unknown":
      return told.written ?? "an amount that is not known";
  }
}
