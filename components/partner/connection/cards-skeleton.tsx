import { Skeleton } from "#components/ui/skeleton.tsx";

/** The outline of some cards, while the service is asked. */
export function CardsSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label}>
      <div className="grid gap-6 lg:grid-cols-[11fr_9fr]">
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-40 w-full" />
      </div>
    </div>
  );
}
