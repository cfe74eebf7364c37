"use client";

import { Button } from "#components/ui/button.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import { RetryByItself } from "#components/ui/retry-by-itself.tsx";

export default function ServiceError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <PageProblem title="Something went wrong on our side" action={<Button onClick={retry}>Try again</Button>}>
      <p>
        No permission was given. Try again, or return to the app that sent you here and start over. The page is tried
        again by itself.
      </p>
      <RetryByItself retry={retry} />
    </PageProblem>
  );
}
