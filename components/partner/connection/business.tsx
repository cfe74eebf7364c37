import { Suspense } from "react";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedBusiness } from "#lib/partner/connections/connected-users.ts";
import { useWords } from "#use-words";
import { LiveProvider } from "../live/live-provider.tsx";
import { CardsSkeleton } from "../skeletons.tsx";
import type { FormAction } from "../use-form-action.ts";
import { BusinessOverview } from "./business-overview.tsx";
import { AuthorizeForm } from "./connection-forms.tsx";

type BusinessProps = {
  isConnected: boolean;
  /** Undefined only for a business that isn't connected. */
  business: Promise<ConnectedBusiness | undefined>;
  authorize: FormAction;
  disconnect: FormAction;
};

export function Business({ isConnected, business, authorize, disconnect }: BusinessProps) {
  const t = useWords("business");
  const label = useWords("connection")("connectBusiness");
  return (
    <>
      <PageHeader
        title={t("title")}
        description={t("lead")}
        actions={isConnected ? <ButtonLink href="/routines/new">{t("pay")}</ButtonLink> : null}
      />
      {isConnected ? (
        <Suspense fallback={<CardsSkeleton />}>
          <Overview business={business} authorize={authorize} disconnect={disconnect} />
        </Suspense>
      ) : (
        <Card title={label} description={t("connectText")}>
          <AuthorizeForm action={authorize} label={label} />
        </Card>
      )}
    </>
  );
}

async function Overview({ business, ...actions }: Omit<BusinessProps, "isConnected">) {
  const initial = await business;
  if (!initial) return null;
  return (
    <LiveProvider>
      <BusinessOverview initial={initial} {...actions} />
    </LiveProvider>
  );
}
