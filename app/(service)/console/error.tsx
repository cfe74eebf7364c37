"use client";

import { AutoRetry } from "#components/ui/auto-retry.tsx";
import { Button } from "#components/ui/button.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";

export default function ConsoleError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <PageProblem title="The service isn’t responding" action={<Button onClick={retry}>Try again</Button>}>
      <p>We’ll retry automatically. If this continues, sign out and sign in again.</p>
      <AutoRetry retry={retry} />
    </PageProblem>
  );
}
