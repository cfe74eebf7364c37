import { sentences } from "#brand/sentences.ts";
import { ButtonLink } from "#components/ui/button-link.tsx";
import type { Role } from "#lib/partner/people/session.ts";
import { RoleChoice } from "./role-choice.tsx";
import { StoryPicture } from "./story-picture.tsx";

/** Harbor's home: what this is, the ways in (or on, for somebody who is signed in), and the story as a picture. */
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
  const [href, label] =
    role === "operator" ? ["/routines", "Go to the routines"] : ["/dashboard", "Go to your dashboard"];
  return (
    <ButtonLink href={href} size="lg">
      {label}
    </ButtonLink>
  );
}
