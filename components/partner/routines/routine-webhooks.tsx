import { Card } from "#components/ui/card.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { ServiceName } from "../service-name.tsx";
import { wordsOf } from "../status-words.ts";

/** What the service announced about a payment, and what Harbor made of it. */
export function RoutineWebhooks({ webhooks }: Pick<RoutineView, "webhooks">) {
  return (
    <Card
      title="Webhooks"
      description={
        <>
          What <ServiceName /> announced about it, each checked to be genuine.
        </>
      }
    >
      {webhooks.length === 0 ? (
        <p className="text-ink-soft">None has come so far.</p>
      ) : (
        <ol className="flex flex-col divide-y divide-line">
          {webhooks.map(({ id, type, outcome, duplicates, receivedAt }) => (
            <li
              key={id}
              className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 py-3 first:pt-0 last:pb-0"
            >
              <code className="font-mono text-sm break-all">{type || "No type"}</code>
              <span className="text-sm text-ink-soft">
                <ExactTime at={receivedAt} />
              </span>
              <span className="flex w-full flex-wrap gap-2">
                <StatusBadge tone="success">Accepted</StatusBadge>
                <StatusBadge tone={outcome === "applied" ? "success" : "neutral"}>
                  {outcome === null ? "Being applied" : wordsOf(outcome)}
                </StatusBadge>
                {duplicates > 0 ? (
                  <StatusBadge tone="info">
                    {duplicates === 1 ? "1 duplicate, ignored" : `${duplicates} duplicates, ignored`}
                  </StatusBadge>
                ) : null}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
