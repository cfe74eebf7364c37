import { Skeleton } from "#components/ui/skeleton.tsx";
import { ServiceName } from "./service-name.tsx";

export function CardsSkeleton() {
  return (
    <div role="status" className="noscript:hidden">
      <span className="sr-only">
        Asking <ServiceName />
      </span>
      <div className="grid gap-6 lg:grid-cols-[11fr_9fr]">
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-40 w-full" />
      </div>
    </div>
  );
}

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
