import Link from "next/link";
import type { ReactNode } from "react";
import { addressOf } from "./filters.ts";

/** Not prefetched: a list can have hundreds of links. */
export function ConsoleLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="font-semibold underline underline-offset-4">
      {children}
    </Link>
  );
}

/** An id or fingerprint, linked to its events in the timeline. `join` is like `user:…` or `token:…`. */
export function KnownId({ join }: { join: string }) {
  return (
    <ConsoleLink href={addressOf({ join })}>
      <code className="font-mono text-xs font-normal break-all">{join.slice(join.indexOf(":") + 1)}</code>
    </ConsoleLink>
  );
}
