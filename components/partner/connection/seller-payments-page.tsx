import { Suspense } from "react";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { SellerPayments as Reading } from "#lib/partner/connections/seller-payments.ts";
import { useWords } from "#use-words";
import { LiveProvider } from "../live/live-provider.tsx";
import { ListSkeleton } from "../skeletons.tsx";
import { SellerPaymentList } from "./seller-payments.tsx";

type SellerPaymentsProps = { after: string | undefined; payments: Promise<Reading> };

export function SellerPayments(props: SellerPaymentsProps) {
  const t = useWords("payments");
  return (
    <>
      <PageHeader
        title={t("title")}
        description={t("lead")}
        back={{ href: "/dashboard", label: useWords("frame")("dashboard") }}
        actions={
          <ButtonLink href="/dashboard/payments/statement" variant="secondary">
            {t("statement.title")}
          </ButtonLink>
        }
      />
      <Suspense key={props.after} fallback={<ListSkeleton label={t("loading")} />}>
        <List {...props} />
      </Suspense>
    </>
  );
}

async function List({ after, payments }: SellerPaymentsProps) {
  return (
    <LiveProvider>
      <SellerPaymentList after={after} initial={await payments} />
    </LiveProvider>
  );
}
