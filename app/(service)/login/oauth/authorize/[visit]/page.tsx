import type { Metadata } from "next";
import { VisitStep } from "#components/authorization/visit-step.tsx";
import { serviceConfig } from "#lib/service/config.ts";
import { readVisit } from "#lib/service/operations/visits/read-visit.ts";
import { findClientLogo } from "#lib/service/pages/client-logo.ts";
import { providers } from "#lib/service/providers.ts";
import { readVisitKey } from "../visit-key.ts";
import { authorize, cancel, correct, resend, verify } from "./actions.ts";

export const metadata: Metadata = { title: "Authorize", robots: { index: false } };

export default async function VisitPage({ params }: { params: Promise<{ visit: string }> }) {
  const { visit: visitId } = await params;
  const key = await readVisitKey(visitId);
  const view = await readVisit(key);
  const messages = await providers().visitTools?.readVisitMessages(key);
  const logo = view.kind === "consent" ? findClientLogo(view.clientId) : undefined;
  const siteUrl = serviceConfig().baseUrl;
  const actions = { verify, resend, correct, authorize, cancel };
  return <VisitStep {...{ visitId, view, messages, logo, siteUrl, actions }} />;
}
