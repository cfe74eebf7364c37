import { ButtonLink } from "#components/ui/button-link.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { Role } from "#lib/partner/people/session.ts";
import { useWords } from "#use-words";
import { StoryPicture } from "./story-picture.tsx";

export function Home({ role }: { role: Role | undefined }) {
  const t = useWords("home");
  return (
    <div className="grid items-center gap-x-12 gap-y-12 lg:grid-cols-[1fr_1.1fr]">
      <div>
        <p className="eyebrow text-accent">{t("eyebrow")}</p>
        <h1 className="mt-4 text-4xl sm:text-5xl lg:text-6xl">{t("headline")}</h1>
        <p className="mt-5 max-w-xl text-lg text-ink-soft sm:text-xl">{t("lead")}</p>
        <div className="mt-9 flex flex-wrap items-center gap-x-6 gap-y-4">
          {role ? <HomeLink role={role} /> : <SignUpLinks />}
        </div>
      </div>
      <StoryPicture />
    </div>
  );
}

function SignUpLinks() {
  const t = useWords("home");
  return (
    <>
      <ButtonLink href="/sign-up" size="lg">
        {t("signUp")}
      </ButtonLink>
      <TextLink href="/sign-in">{t("signInAsOperator")}</TextLink>
    </>
  );
}

function HomeLink({ role }: { role: Role }) {
  const t = useWords("home");
  const isOperator = role === "operator";
  return (
    <ButtonLink href={isOperator ? "/routines" : "/dashboard"} size="lg">
      {t(isOperator ? "goToPayments" : "goToDashboard")}
    </ButtonLink>
  );
}
