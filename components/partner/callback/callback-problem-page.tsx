import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import type { CallbackProblem } from "#lib/partner/authorization/callback-problem.ts";

const texts: Record<CallbackProblem, { title: string; text: string }> = {
  denied: {
    title: "You did not authorize Harbor",
    text: "Nothing was connected and nothing has changed. Whenever you like, you can look at it again and decide anew.",
  },
  expired_code: {
    title: "That took a little too long",
    text: "The answer from Plainbook had expired or was used before. Nothing was connected. Please authorize once more.",
  },
  unknown_attempt: {
    title: "We do not know this attempt",
    text: "It was begun in another browser, too long ago, or is already over. Please begin again here.",
  },
  wrong_issuer: {
    title: "This answer did not come from Plainbook",
    text: "To keep you safe, we used nothing of it. Please begin again from Harbor.",
  },
  other_person: {
    title: "Somebody else is signed in here",
    text: "The answer belongs to another Harbor account. Sign in as whoever began, and begin again.",
  },
  other_user: {
    title: "That was another account",
    text: "Plainbook authorized somebody other than you, so we did not connect it. Please authorize with your own.",
  },
  unavailable: {
    title: "Plainbook did not answer",
    text: "Nothing was connected. This is usually over in a minute; then please authorize once more.",
  },
  failed: {
    title: "That did not work",
    text: "Plainbook could not finish the authorization, and nothing was connected. Please try once more.",
  },
};

/** Why coming back from the service did not connect anything, and the one way forward. */
export function CallbackProblemPage({
  problem,
  forward,
}: {
  problem: CallbackProblem;
  forward: { href: string; label: string };
}) {
  const { title, text } = texts[problem];
  return (
    <PageProblem title={title} action={<ButtonLink href={forward.href}>{forward.label}</ButtonLink>}>
      <p>{text}</p>
    </PageProblem>
  );
}
