import { PageFrame } from "#components/authorization/page-frame.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";

export default function ServiceNotFound() {
  return (
    <PageFrame>
      <PageProblem title="There is no such page">
        <p>Return to the app that sent you here and start again from there.</p>
      </PageProblem>
    </PageFrame>
  );
}
