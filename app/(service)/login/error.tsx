"use client";

import { AutoRetry } from "#components/ui/auto-retry.tsx";
import { Button } from "#components/ui/button.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";

export default function ServiceError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <PageProblem title="Something went wrong on our side" action={<Button onClick={retry}>Try again</Button>}>
      <p>
        Your last step may or may not have gone through. Try again to see where you are. We’ll also retry automatically.
      </p>
      <AutoRetry retry={retry} />
    </PageProblem>
  );
}
