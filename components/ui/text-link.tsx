import Link from "next/link";
import type { ReactNode } from "react";

export function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link className="font-semibold underline underline-offset-4" href={href}>
      {children}
    </Link>
  );
}
