import type { ReactNode } from "react";
import { Pagination } from "#components/ui/pagination.tsx";

type PagedProps<Item> = {
  records: readonly Item[];
  /** The list's name in the URL, whose value is the 1-based page. */
  name: string;
  query: URLSearchParams;
  /** The labels of the links to the previous and next page. */
  words?: readonly [previous: string, next: string];
  /** Smaller for tall records. */
  pageSize?: number;
  /** Whether the service may have more than it listed. */
  isCut?: boolean;
  children: (records: readonly Item[]) => ReactNode;
};

/** One page of a list that was loaded as a whole. */
export function Paged<Item>({
  records,
  name,
  query,
  words = ["Newer", "Older"],
  pageSize = 25,
  isCut = false,
  children,
}: PagedProps<Item>) {
  const pages = Math.max(1, Math.ceil(records.length / pageSize));
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(query.get(name))) || 1));
  const start = (page - 1) * pageSize;
  const shown = records.slice(start, start + pageSize);
  const hrefOf = (number: number) => {
    const nextQuery = new URLSearchParams(query);
    nextQuery.set(name, String(number));
    return `?${nextQuery}#${name}`;
  };
  return (
    <div id={name} className="flex scroll-mt-14 flex-col">
      {children(shown)}
      <Pagination
        label={`Pages of ${name}`}
        previousLabel={words[0]}
        nextLabel={words[1]}
        {...(page > 1 && { previousHref: hrefOf(page - 1) })}
        {...(page < pages && { nextHref: hrefOf(page + 1) })}
        summary={`${start + 1} to ${start + shown.length} of ${isCut ? "the newest " : ""}${records.length}`}
      />
    </div>
  );
}
