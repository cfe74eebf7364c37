"use client";

import { Button } from "#components/ui/button.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import { RetryByItself } from "#components/ui/retry-by-itself.tsx";

export default function PartnerError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <PageProblem title="Something went wrong on our side" action={<Button onClick={retry}>Try again</Button>}>
      <p>Nothing was lost, and nothing was done twice. It's safe to try again, and we'll retry on our own.</p>
      <RetryByItself retry={retry} />
    </PageProblem>
  );
}
