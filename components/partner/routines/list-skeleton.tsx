import { Skeleton } from "#components/ui/skeleton.tsx";

/** The outline of a list, while it is fetched. */
export function ListSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className="noscript:hidden flex flex-col gap-4">
      <Skeleton className="h-12 w-full" />
      {["first", "second", "third", "fourth"].map((row) => (
        <Skeleton key={row} className="h-14 w-full" />
      ))}
    </div>
  );
}
