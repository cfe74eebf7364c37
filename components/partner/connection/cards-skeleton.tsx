import { Skeleton } from "#components/ui/skeleton.tsx";

/** The outline of a page of cards, while the service is asked. */
export function CardsSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label}>
      <Skeleton className="mb-10 h-10 w-56" />
      <div className="grid gap-6 lg:grid-cols-[3fr_2fr]">
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-40 w-full" />
      </div>
    </div>
  );
}
