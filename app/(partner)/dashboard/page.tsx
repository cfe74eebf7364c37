import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Dashboard } from "#components/partner/connection/dashboard.tsx";
import { findConnectedUserOf } from "#lib/partner/connections/find-connected-user.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { authorizeAgain, disconnectSeller } from "./actions.ts";

export const metadata: Metadata = { title: "Dashboard" };

export default async function DashboardPage() {
  const person = await requirePerson({ role: "seller", returnTo: "/dashboard" });
  const connected = await findConnectedUserOf(person);
  if (!connected) redirect("/onboarding/status");
  return (
    <Dashboard
      firstName={person.firstName}
      connected={connected}
      authorize={authorizeAgain}
      disconnect={disconnectSeller}
    />
  );
}
