import type { Metadata } from "next";
import { Business } from "#components/partner/connection/business.tsx";
import { AccessDeletedNotice } from "#components/partner/connection/connection-card.tsx";
import { findBusinessUserId, readConnectedBusiness } from "#lib/partner/connections/read-connected-user.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { authorizeBusiness, disconnectOperatingBusiness } from "./actions.ts";

export const metadata: Metadata = { title: "Business" };

type Props = { searchParams: Promise<{ ended?: string | string[] }> };

export default async function BusinessPage({ searchParams }: Props) {
  await requirePerson({ role: "operator", returnTo: "/business" });
  const { ended } = await searchParams;
  return (
    <>
      {ended === "here" ? <AccessDeletedNotice /> : null}
      <Business
        isConnected={(await findBusinessUserId(partner())) !== undefined}
        business={readConnectedBusiness(partner())}
        authorize={authorizeBusiness}
        disconnect={disconnectOperatingBusiness}
      />
    </>
  );
}
