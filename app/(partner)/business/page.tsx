import type { Metadata } from "next";
import { Business } from "#components/partner/connection/business.tsx";
import { findBusinessUserId } from "#lib/partner/connections/connected-users.ts";
import { readConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { authorizeBusiness, disconnectOperatingBusiness } from "./actions.ts";

export const metadata: Metadata = { title: "Business" };

export default async function BusinessPage() {
  await requirePerson({ role: "operator", returnTo: "/business" });
  const serviceUserId = await findBusinessUserId();
  return (
    <Business
      connected={serviceUserId ? readConnectedUser(serviceUserId) : undefined}
      authorize={authorizeBusiness}
      disconnect={disconnectOperatingBusiness}
    />
  );
}
