"use client";

import { AutoRetry } from "#components/ui/auto-retry.tsx";
import { Button } from "#components/ui/button.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import { useWords } from "#use-words";

export default function PartnerError({ retry }: { error: unknown; retry: () => void }) {
  const t = useWords("frame.error");
  return (
    <PageProblem title={t("title")} action={<Button onClick={retry}>{t("action")}</Button>}>
      <p>{t("text")}</p>
      <AutoRetry retry={retry} />
    </PageProblem>
  );
}
