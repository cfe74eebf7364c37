import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import type { CallbackProblem } from "#lib/partner/authorization/finish-authorization.ts";
import { AuthorizeForm } from "../connection/connection-forms.tsx";
import { ServiceName } from "../service-name.tsx";
import type { FormAction } from "../use-form-action.ts";

const texts: Record<CallbackProblem, { title: ReactNode; text: ReactNode }> = {
  denied: {
    title: `You didn't authorize ${brandName}`,
    text: "Nothing was connected, and nothing changed. You can authorize whenever you like.",
  },
  expired_code: {
    title: "That took too long",
    text: (
      <>
        The answer from <ServiceName /> expired or was already used, so nothing was connected. Please authorize again.
      </>
    ),
  },
  unknown_attempt: {
    title: "We can't match this to a request from you",
    text: "It started in another browser, started too long ago, or is already finished. Please start again here.",
  },
  missing_state: {
    title: "We can't tell which request this answers",
    text: `To keep you safe, we didn't use it. Trying again won't help until we fix this. Please contact us.`,
  },
  wrong_issuer: {
    title: (
      <>
        This answer didn't come from <ServiceName />
      </>
    ),
    text: `To keep you safe, we didn't use it. Please start again from ${brandName}.`,
  },
  other_person: {
    title: "Someone else is signed in here",
    text: `The answer belongs to another ${brandName} account. Sign in to that account and start again.`,
  },
  other_user: {
    title: "That was a different account",
    text: (
      <>
        <ServiceName /> authorized an account that isn't yours, so we didn't connect it. Please authorize with your own
        account.
      </>
    ),
  },
  unavailable: {
    title: (
      <>
        <ServiceName /> didn't answer
      </>
    ),
    text: "Nothing was connected. This usually clears up in a minute. Please authorize again then.",
  },
  not_now: {
    title: "That isn't possible right now",
    text: (
      <>
        <ServiceName /> answered but couldn't finish, so nothing was connected. This usually clears up in a minute.
        Please authorize again then.
      </>
    ),
  },
  not_understood: {
    title: "We couldn't read the answer",
    text: (
      <>
        <ServiceName /> answered, but {brandName} couldn't read it, so nothing was connected. If it happens again,
        please contact us.
      </>
    ),
  },
  failed: {
    title: "That didn't work",
    text: (
      <>
        <ServiceName /> couldn't finish the authorization, so nothing was connected. Please try again.
      </>
    ),
  },
};

// Retrying can't help with these.
const hopeless: CallbackProblem[] = ["missing_state", "wrong_issuer", "other_person"];

export type CallbackProblemPageProps = {
  problem: CallbackProblem;
  /** Starts another authorization; undefined when signed out. */
  again: FormAction | undefined;
  forward: { href: string; label: string };
};

export function CallbackProblemPage({ problem, again, forward }: CallbackProblemPageProps) {
  const { title, text } = texts[problem];
  const canTryAgain = again !== undefined && !hopeless.includes(problem);
  return (
    <PageProblem
      title={title}
      action={
        <>
          {canTryAgain ? <AuthorizeForm action={again} label="Try again" /> : null}
          {/* Below the button, the label aligns with it. */}
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
      <p>{text}</p>
    </PageProblem>
  );
}
