"use client";

import { Button } from "#components/ui/button.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import { RetryByItself } from "#components/ui/retry-by-itself.tsx";

export default function ConsoleError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <PageProblem title="The console got no answer" action={<Button onClick={retry}>Try again</Button>}>
      <p>The service did not answer this page. It is tried again by itself. If this stays so, sign out and in again.</p>
      <RetryByItself retry={retry} />
    </PageProblem>
  );
}
