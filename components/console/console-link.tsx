import Link from "next/link";
import type { ReactNode } from "react";

/** A way to another page of the console. Nothing is asked for before it is pressed: a list has hundreds of them. */
export function ConsoleLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="font-semibold underline underline-offset-4">
      {children}
    </Link>
  );
}
