import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";

export default function PartnerNotFound() {
  return (
    <PageProblem title="We can't find this page" action={<ButtonLink href="/">Go to the home page</ButtonLink>}>
      <p>Check the address. The page may also belong to someone else.</p>
    </PageProblem>
  );
}
