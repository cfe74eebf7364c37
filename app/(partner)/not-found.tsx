import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageProblem } from "#components/ui/page-problem.tsx";
import { useWords } from "#use-words";

export default function PartnerNotFound() {
  const t = useWords("frame.notFound");
  return (
    <PageProblem title={t("title")} action={<ButtonLink href="/">{t("action")}</ButtonLink>}>
      <p>{t("text")}</p>
    </PageProblem>
  );
}
