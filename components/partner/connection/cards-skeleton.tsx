import { Skeleton } from "#components/ui/skeleton.tsx";
import { ServiceName } from "../service-name.tsx";

/** The outline of some cards, while the service is asked. */
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
