import Link from "next/link";
import type { ReactNode } from "react";

type TextLinkProps = { href: string; className?: string; children: ReactNode };

export function TextLink({ href, className = "", children }: TextLinkProps) {
  return (
    <Link className={`font-semibold underline underline-offset-4 ${className}`} href={href}>
      {children}
    </Link>
  );
}
