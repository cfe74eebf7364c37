import { Suspense } from "react";
import { brandName } from "#brand/name.ts";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedBusiness } from "#lib/partner/connections/read-connected-user.ts";
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
  return (
    <>
      <PageHeader
        title="Business"
        description={`The account that ${brandName} pays its sellers from.`}
        actions={isConnected ? <ButtonLink href="/routines/new">Pay a seller</ButtonLink> : null}
      />
      {isConnected ? (
        <Suspense fallback={<CardsSkeleton />}>
          <Overview business={business} authorize={authorize} disconnect={disconnect} />
        </Suspense>
      ) : (
        <Card
          title="Connect the business"
          description={`Authorize once for ${brandName} as a business. After that, any operator can pay sellers.`}
        >
          <AuthorizeForm action={authorize} label="Connect the business" />
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
