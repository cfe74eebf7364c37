"use client";

import { Button } from "#components/ui/button.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import { RetryByItself } from "#components/ui/retry-by-itself.tsx";

export default function PartnerError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <PageProblem title="Something went wrong on our side" action={<Button onClick={retry}>Try again</Button>}>
      <p>Nothing you sent was lost, and nothing was done twice. Trying again is safe, and happens by itself.</p>
      <RetryByItself retry={retry} />
    </PageProblem>
  );
}
