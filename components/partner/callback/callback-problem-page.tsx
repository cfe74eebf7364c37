import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import type { CallbackProblem } from "#lib/partner/authorization/finish-authorization.ts";
import { useWords } from "#use-words";
import { AuthorizeForm } from "../connection/connection-forms.tsx";
import type { FormAction } from "../use-form-action.ts";

// A retry can't fix these.
const notRetryable: CallbackProblem[] = ["missing_state", "wrong_issuer", "other_person"];

export type CallbackProblemPageProps = {
  problem: CallbackProblem;
  /** Starts another authorization; undefined when signed out. */
  again: FormAction | undefined;
  forward: { href: string; label: string };
};

export function CallbackProblemPage({ problem, again, forward }: CallbackProblemPageProps) {
  const t = useWords("callback");
  const canTryAgain = again !== undefined && !notRetryable.includes(problem);
  return (
    <PageProblem
      title={t(`problems.${problem}.title`)}
      action={
        <>
          {canTryAgain ? <AuthorizeForm action={again} label={t("again")} /> : null}
          {/* Below the button, its label aligns with the button's. */}
          <ButtonLink
            href={forward.href}
            variant={canTryAgain ? "ghost" : "primary"}
            className={canTryAgain ? "max-sm:-ml-5" : ""}
          >
            {forward.label}
          </ButtonLink>
        </>
      }
    >
      <p>{t(`problems.${problem}.text`)}</p>
    </PageProblem>
  );
}
