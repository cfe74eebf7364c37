import { PageFrame } from "#components/authorization/page-frame.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";

export default function ServiceNotFound() {
  return (
    <PageFrame isSandbox={false}>
      <PageProblem title="Page not found">
        <p>Go back to the app that sent you here and start again.</p>
      </PageProblem>
    </PageFrame>
  );
}
