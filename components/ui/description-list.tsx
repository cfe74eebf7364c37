import type { ReactNode } from "react";

export type DescriptionListProps = { items: { term: ReactNode; details: ReactNode }[] };

export function DescriptionList({ items }: DescriptionListProps) {
  return (
    <dl className="@container w-full divide-y divide-line">
      {items.map(({ term, details }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: never reordered
          key={index}
          className="grid gap-x-6 gap-y-0.5 py-3 first:pt-0 last:pb-0 @sm:grid-cols-[2fr_3fr] @lg:grid-cols-[1fr_2fr]"
        >
          <dt className="text-ink-soft">{term}</dt>
          <dd className="min-w-0 break-words">{details}</dd>
        </div>
      ))}
    </dl>
  );
}
