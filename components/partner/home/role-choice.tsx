import Link from "next/link";

export type RoleChoiceProps = { href: string; who: string; what: string; action: string };

/** One of the two ways in: who one would be, and what happens then. The whole card is the link. */
export function RoleChoice({ href, who, what, action }: RoleChoiceProps) {
  return (
    <li className="group relative flex flex-1 flex-col rounded-card border border-line bg-surface p-5 shadow-card transition-colors hover:border-accent sm:p-6">
      <h2 className="text-xl">{who}</h2>
      <p className="mt-1.5 mb-4 text-ink-soft">{what}</p>
      <Link
        href={href}
        className="mt-auto inline-flex items-center gap-2 font-semibold text-accent after:absolute after:inset-0 after:rounded-card focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
      >
        {action}
        <svg
          viewBox="0 0 16 16"
          className="size-4 transition-transform group-hover:translate-x-1"
          aria-hidden="true"
          fill="none"
          stroke="currentColor"
        >
          <path d="M2.5 8h11m-4-4.5 4 4.5-4 4.5" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      </Link>
    </li>
  );
}
