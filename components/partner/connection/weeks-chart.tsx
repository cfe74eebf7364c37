import { dateText } from "#components/ui/date-text.ts";
import { moneyText } from "#components/ui/money.tsx";
import type { PaidWeek } from "#lib/partner/connections/paid-by-week.ts";
import { useReaderLocale, useWords } from "#use-words";

// In pixels. The chart is as wide as the page, and each week gets an equal share.
const barsHeight = 96;
const amountHeight = 22;
const dayHeight = 26;

/** Money received per week, as bars, and as a list for screen readers. */
export function WeeksChart({ weeks }: { weeks: PaidWeek[] }) {
  const t = useWords("payments.weeks");
  const locale = useReaderLocale();
  const total = weeks.reduce((sum, { cents }) => sum + cents, 0);
  const most = Math.max(...weeks.map(({ cents }) => cents));
  const partPercent = 100 / weeks.length;
  const bottom = amountHeight + barsHeight;
  return (
    <section className="mb-10 print:hidden">
      <h2 className="text-xl">{t("title")}</h2>
      <p className="mt-1.5 mb-4 text-ink-soft">{t("lead", { total: moneyText(total), count: String(weeks.length) })}</p>
      <ul className="sr-only">
        {weeks.map(({ startsOn, cents }) => (
          <li key={startsOn}>{t("week", { day: dayOf(startsOn, locale), amount: moneyText(cents) })}</li>
        ))}
      </ul>
      <svg aria-hidden="true" width="100%" height={bottom + dayHeight} className="text-xs">
        {weeks.map(({ startsOn, cents }, at) => {
          const height = Math.max((cents / most) * barsHeight, cents > 0 ? 2 : 0);
          const middle = `${(at + 0.5) * partPercent}%`;
          return (
            <g key={startsOn}>
              <rect
                className="fill-accent forced-colors:fill-[CanvasText]"
                x={`${(at + 0.2) * partPercent}%`}
                y={bottom - height}
                width={`${0.6 * partPercent}%`}
                height={height}
                rx="3"
              />
              {cents > 0 ? (
                <text className="fill-ink font-semibold" x={middle} y={bottom - height - 7} textAnchor="middle">
                  {shortAmount(cents, locale)}
                </text>
              ) : null}
              <text className="fill-ink-soft" x={middle} y={bottom + 18} textAnchor="middle">
                {dayOf(startsOn, locale)}
              </text>
            </g>
          );
        })}
        <line className="stroke-line-strong" x1="0" x2="100%" y1={bottom + 0.5} y2={bottom + 0.5} />
      </svg>
    </section>
  );
}

function dayOf(startsOn: string, locale: string): string {
  return dateText(new Date(startsOn), locale, { month: "short", day: "numeric", timeZone: "UTC" });
}

/** Short enough to fit above a bar on a phone, like $85 or $1.3K. */
function shortAmount(cents: number, locale: string): string {
  const dollars = cents / 100;
  const maximumFractionDigits = dollars < 1000 ? 0 : 1;
  const short = { style: "currency", currency: "USD", notation: "compact", minimumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(locale, { ...short, maximumFractionDigits }).format(dollars);
}
