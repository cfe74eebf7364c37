import type { Metadata } from "next";
import { cache } from "react";
import { titleOfStep, VisitStep } from "#components/authorization/visit-step.tsx";
import { FocusHeading } from "#components/ui/focus-heading.tsx";
import { serviceConfig } from "#lib/service/config.ts";
import { readVisit } from "#lib/service/operations/visits/read-visit.ts";
import { findClientLogo } from "#lib/service/pages/client-logo.ts";
import { providers } from "#lib/service/providers.ts";
import { readVisitKey } from "../visit-key.ts";
import { authorize, cancel, correct, resend, verify } from "./actions.ts";

// Both the title and the page need it.
const readView = cache(async (visitId: string) => {
  const key = await readVisitKey(visitId);
  return { key, view: await readVisit(key) };
});

type Props = { params: Promise<{ visit: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { view } = await readView((await params).visit);
  return { title: titleOfStep(view), robots: { index: false } };
}

export default async function VisitPage({ params }: Props) {
  const { visit: visitId } = await params;
  const { key, view } = await readView(visitId);
  const messages = await providers().visitTools?.readVisitMessages(key);
  const logo = view.kind === "consent" ? findClientLogo(view.clientId) : undefined;
  const siteUrl = serviceConfig().baseUrl;
  const actions = { verify, resend, correct, authorize, cancel };
  return (
    <>
      <VisitStep {...{ visitId, view, messages, logo, siteUrl, actions }} />
      <FocusHeading step={view.kind} />
    </>
  );
}
