import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";

export default function PartnerNotFound() {
  return (
    <PageProblem title="There is nothing here" action={<ButtonLink href="/">Go to the start</ButtonLink>}>
      <p>The address may be mistyped, or what was here belongs to someone else.</p>
    </PageProblem>
  );
}
