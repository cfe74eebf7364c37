"use client";

import { ButtonLink } from "./button-link.tsx";
import { useUiWords } from "./ui-words.tsx";

export type PaginationProps = {
  /** The accessible name, for pages with several. */
  label?: string;
  previousHref?: string;
  nextHref?: string;
  previousLabel?: string;
  nextLabel?: string;
  /** For example "Showing 20 of 57". */
  summary?: string;
};

/** Renders nothing for a single page. */
export function Pagination({ label, previousHref, nextHref, previousLabel, nextLabel, summary }: PaginationProps) {
  const words = useUiWords();
  if (previousHref === undefined && nextHref === undefined) return null;
  return (
    <nav aria-label={label ?? words.pages} className="mt-6 flex flex-wrap items-center justify-between gap-4">
      <p className="text-sm text-ink-soft">{summary}</p>
      <div className="flex gap-2">
        {previousHref === undefined ? null : (
          <ButtonLink href={previousHref} variant="secondary" size="sm" rel="prev">
            {previousLabel ?? words.newer}
          </ButtonLink>
        )}
        {nextHref === undefined ? null : (
          <ButtonLink href={nextHref} variant="secondary" size="sm" rel="next">
            {nextLabel ?? words.older}
          </ButtonLink>
        )}
      </div>
    </nav>
  );
}
