import type { Metadata } from "next";
import { Business } from "#components/partner/connection/business.tsx";
import { findConnectedBusiness } from "#lib/partner/connections/find-connected-user.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { authorizeBusiness, disconnectOperatingBusiness } from "./actions.ts";

export const metadata: Metadata = { title: "Business" };

export default async function BusinessPage() {
  await requirePerson({ role: "operator", returnTo: "/business" });
  return (
    <Business
      connected={await findConnectedBusiness()}
      authorize={authorizeBusiness}
      disconnect={disconnectOperatingBusiness}
    />
  );
}
