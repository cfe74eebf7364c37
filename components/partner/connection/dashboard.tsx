import { Suspense } from "react";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedUser } from "#lib/partner/connections/connected-users.ts";
import { useWords } from "#use-words";
import { LiveProvider } from "../live/live-provider.tsx";
import { CardsSkeleton } from "../skeletons.tsx";
import type { FormAction } from "../use-form-action.ts";
import { SellerOverview } from "./seller-overview.tsx";

type ConnectionProps = {
  connected: Promise<ConnectedUser>;
  authorize: FormAction;
  disconnect: FormAction;
};

export function Dashboard({ firstName, ...connection }: ConnectionProps & { firstName: string }) {
  const t = useWords("dashboard");
  return (
    <>
      <PageHeader title={t("title")} description={t("lead", { name: firstName })} />
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
