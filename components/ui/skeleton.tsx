/** The place of something that is on its way; give it the size of that thing. Silent for assistive technology. */
export function Skeleton({ className = "h-4 w-full" }: { className?: string }) {
  return <span aria-hidden="true" className={`block animate-pulse rounded-control bg-line ${className}`} />;
}
