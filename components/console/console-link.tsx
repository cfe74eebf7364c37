import Link from "next/link";
import type { ReactNode } from "react";
import { addressOf } from "./filters.ts";

/** A way to another page of the console. Nothing is asked for before it is pressed: a list has hundreds of them. */
export function ConsoleLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="font-semibold underline underline-offset-4">
      {children}
    </Link>
  );
}

/** An id or a fingerprint, whole, which leads to all steps of the timeline that belong to it: `user:…`, `token:…`. */
export function KnownId({ join }: { join: string }) {
  return (
    <ConsoleLink href={addressOf({ join })}>
      <code className="font-mono text-xs font-normal break-all">{join.slice(join.indexOf(":") + 1)}</code>
    </ConsoleLink>
  );
}
