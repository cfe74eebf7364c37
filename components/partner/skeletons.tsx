import { LongWait } from "#components/ui/long-wait.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { useWords } from "#use-words";

export function CardsSkeleton() {
  const t = useWords("connection");
  return (
    <div role="status" className="noscript:hidden">
      <span className="sr-only">{t("asking")}</span>
      <StillWaiting />
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
      <StillWaiting />
      <Skeleton className="h-12 w-full" />
      {["first", "second", "third", "fourth"].map((row) => (
        <Skeleton key={row} className="h-14 w-full" />
      ))}
    </div>
  );
}

function StillWaiting() {
  const t = useWords("connection");
  return <LongWait>{t("stillWaiting")}</LongWait>;
}
