"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";

export function NavigationLink({ href, label }: { href: string; label: string }) {
  const path = usePathname();
  const isHere = path === href || path.startsWith(`${href}/`);
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : undefined}
      className="inline-flex min-h-10 pointer-coarse:min-h-11 items-center rounded-full px-3.5 font-semibold whitespace-nowrap text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent aria-[current=page]:forced-highlight"
    >
      {label}
    </Link>
  );
}
