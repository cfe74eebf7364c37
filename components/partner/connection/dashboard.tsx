import { Suspense } from "react";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import { LiveProvider } from "../live/live-provider.tsx";
import { ServiceName } from "../service-name.tsx";
import { CardsSkeleton } from "../skeletons.tsx";
import type { FormAction } from "../use-form-action.ts";
import { SellerOverview } from "./seller-overview.tsx";

type ConnectionProps = {
  connected: Promise<ConnectedUser>;
  authorize: FormAction;
  disconnect: FormAction;
};

export function Dashboard({ firstName, ...connection }: ConnectionProps & { firstName: string }) {
  return (
    <>
      <PageHeader
        title="Dashboard"
        description={
          <>
            Hello {firstName}. Here's your money at <ServiceName /> right now.
          </>
        }
      />
      <Suspense fallback={<CardsSkeleton />}>
        <Overview {...connection} />
      </Suspense>
    </>
  );
}

async function Overview({ connected, ...actions }: ConnectionProps) {
  return (
    <LiveProvider>
      <SellerOverview initial={await connected} {...actions} />
    </LiveProvider>
  );
}
