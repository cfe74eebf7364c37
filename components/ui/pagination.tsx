import { ButtonLink } from "./button-link.tsx";

export type PaginationProps = {
  previousHref?: string;
  nextHref?: string;
  previousLabel?: string;
  nextLabel?: string;
  /** For example "Showing 20 of 57". */
  summary?: string;
};

/** Renders nothing for a single page. */
export function Pagination({
  previousHref,
  nextHref,
  previousLabel = "Newer",
  nextLabel = "Older",
  summary,
}: PaginationProps) {
  if (previousHref === undefined && nextHref === undefined) return null;
  return (
    <nav aria-label="Pages" className="mt-6 flex flex-wrap items-center justify-between gap-4">
      <p className="text-sm text-ink-soft">{summary}</p>
      <div className="flex gap-2">
        {previousHref === undefined ? null : (
          <ButtonLink href={previousHref} variant="secondary" size="sm" rel="prev">
            {previousLabel}
          </ButtonLink>
        )}
        {nextHref === undefined ? null : (
          <ButtonLink href={nextHref} variant="secondary" size="sm" rel="next">
            {nextLabel}
          </ButtonLink>
        )}
      </div>
    </nav>
  );
}
