import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { AccessDeletedNotice } from "#components/partner/connection/connection-card.tsx";
import { Dashboard } from "#components/partner/connection/dashboard.tsx";
import { PayYourselfOffer } from "#components/partner/sandbox/offers.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { findServiceUserId, readConnectedUser, readConnection } from "#lib/partner/connections/connected-users.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { readPayOffer } from "#lib/partner/sandbox/switch-offers.ts";
import { words } from "#lib/partner/words/words.ts";
import { switchPerson } from "../sandbox-actions.ts";
import { authorizeAgain, disconnectSeller } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("dashboard")("title") };
}

type Props = { searchParams: Promise<{ ended?: string | string[] }> };

export default async function DashboardPage({ searchParams }: Props) {
  const person = await requirePerson({ role: "seller", returnTo: "/dashboard" });
  const serviceUserId = await findServiceUserId(partner(), person);
  if (!serviceUserId) redirect("/onboarding/status");
  const { ended } = await searchParams;
  // `?ended=here` stays in the URL after reconnecting.
  const isEndedHere = ended === "here" && (await readConnection(partner(), serviceUserId)).kind === "disconnected";
  return (
    <PageWords of={["connection", "dashboard", "payments", "statuses"]}>
      {isEndedHere ? <AccessDeletedNotice /> : null}
      <PayYourselfOffer offer={await readPayOffer(partner(), person)} action={switchPerson} />
      <Dashboard
        firstName={person.firstName}
        connected={readConnectedUser(partner(), serviceUserId)}
        authorize={authorizeAgain}
        disconnect={disconnectSeller}
      />
    </PageWords>
  );
}
