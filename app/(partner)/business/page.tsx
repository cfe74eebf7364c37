import type { Metadata } from "next";
import { Business } from "#components/partner/connection/business.tsx";
import { findBusinessUserId } from "#lib/partner/connections/connected-users.ts";
import { readConnectedBusiness } from "#lib/partner/connections/read-business.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { authorizeBusiness, disconnectOperatingBusiness } from "./actions.ts";

export const metadata: Metadata = { title: "Business" };

export default async function BusinessPage() {
  await requirePerson({ role: "operator", returnTo: "/business" });
  return (
    <Business
      isConnected={(await findBusinessUserId()) !== undefined}
      business={readConnectedBusiness()}
      authorize={authorizeBusiness}
      disconnect={disconnectOperatingBusiness}
    />
  );
}
