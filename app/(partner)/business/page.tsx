import type { Metadata } from "next";
import { Business } from "#components/partner/connection/business.tsx";
import { AccessDeletedNotice } from "#components/partner/connection/connection-card.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { findBusinessUserId, readConnectedBusiness, readConnection } from "#lib/partner/connections/connected-users.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { authorizeBusiness, disconnectOperatingBusiness } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("business")("title") };
}

type Props = { searchParams: Promise<{ ended?: string | string[] }> };

export default async function BusinessPage({ searchParams }: Props) {
  await requirePerson({ role: "operator", returnTo: "/business" });
  const { ended } = await searchParams;
  const { businessUserId } = partner().config;
  // `?ended=here` stays in the URL after reconnecting.
  const isEndedHere = ended === "here" && (await readConnection(partner(), businessUserId)).kind === "disconnected";
  return (
    <PageWords of={["business", "connection", "paid", "payments", "statuses"]}>
      {isEndedHere ? <AccessDeletedNotice /> : null}
      <Business
        isConnected={(await findBusinessUserId(partner())) !== undefined}
        business={readConnectedBusiness(partner())}
        authorize={authorizeBusiness}
        disconnect={disconnectOperatingBusiness}
      />
    </PageWords>
  );
}
