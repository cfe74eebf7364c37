import { Suspense } from "react";
import { brandName } from "#brand/name.ts";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { readStatement } from "#lib/partner/connections/statement.ts";
import { useWords } from "#use-words";
import { ListSkeleton } from "../skeletons.tsx";
import { StatementContent } from "./statement-content.tsx";

type StatementProps = { name: string; statement: ReturnType<typeof readStatement> };

/** For printing: paper shows no navigation (app/harbor.css). */
export function Statement(props: StatementProps) {
  const t = useWords("payments");
  return (
    <>
      <p className="heading mb-6 hidden text-2xl print:block">{brandName}</p>
      <PageHeader title={t("statement.title")} back={{ href: "/dashboard/payments", label: t("title") }} />
      <Suspense fallback={<ListSkeleton label={t("statement.loading")} />}>
        <Content {...props} />
      </Suspense>
    </>
  );
}

async function Content({ name, statement }: StatementProps) {
  return <StatementContent name={name} statement={await statement} />;
}
