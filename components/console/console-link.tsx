import Link from "next/link";
import type { ReactNode } from "react";
import { CopyIcon } from "#components/ui/copyable.tsx";
import { addressOf } from "./filters.ts";
import { shortId } from "./short-id.ts";

/** Not prefetched: a list can have hundreds of links. */
export function ConsoleLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="font-semibold underline underline-offset-4 pointer-coarse:py-3">
      {children}
    </Link>
  );
}

/** An id or fingerprint, linked to its events in the timeline. `join` is like `user:…` or `token:…`. */
export function KnownId({ join }: { join: string }) {
  const [kind = "", id = ""] = join.split(":");
  return (
    <ShortId id={id} kind={kind}>
      {(short) => <ConsoleLink href={addressOf({ join })}>{short}</ConsoleLink>}
    </ShortId>
  );
}

type ShortIdProps = { id: string; kind: string; children?: (short: ReactNode) => ReactNode };

/** An id shortened in the middle, with a button that copies all of it. */
export function ShortId({ id, kind, children = (short) => short }: ShortIdProps) {
  return (
    <span className="inline-flex items-center whitespace-nowrap">
      {children(
        <code title={id} className="font-mono text-xs font-normal">
          {shortId(id)}
        </code>,
      )}
      <CopyIcon value={id} label={`${kind} ${shortId(id)}`} className="size-6 pointer-coarse:size-11" />
    </span>
  );
}
