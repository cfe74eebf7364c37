import Link from "next/link";
import { sentences } from "#brand/sentences.ts";
import { ButtonLink } from "#components/ui/button-link.tsx";
import type { Role } from "#lib/partner/people/session.ts";
import { StoryPicture } from "./story-picture.tsx";

export function Home({ role }: { role: Role | undefined }) {
  return (
    <div className="grid items-center gap-x-12 gap-y-12 lg:grid-cols-[1fr_1.1fr]">
      <div>
        <p className="eyebrow text-accent">{sentences.home.eyebrow}</p>
        <h1 className="mt-4 text-4xl sm:text-5xl lg:text-6xl">{sentences.home.headline}</h1>
        <p className="mt-5 max-w-xl text-lg text-ink-soft sm:text-xl">{sentences.home.lead}</p>
        <div className="mt-9">{role ? <WayOn role={role} /> : <WaysIn />}</div>
      </div>
      <StoryPicture />
    </div>
  );
}

function WaysIn() {
  return (
    <ul className="flex flex-col gap-4 sm:flex-row">
      <RoleChoice href="/sign-up" {...sentences.seller} />
      <RoleChoice href="/sign-in" {...sentences.operator} />
    </ul>
  );
}

function WayOn({ role }: { role: Role }) {
  const [href, label] = role === "operator" ? ["/routines", "Go to payments"] : ["/dashboard", "Go to your dashboard"];
  return (
    <ButtonLink href={href} size="lg">
      {label}
    </ButtonLink>
  );
}

export type RoleChoiceProps = { href: string; who: string; what: string; action: string };

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
