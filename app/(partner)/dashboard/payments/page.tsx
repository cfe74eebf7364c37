import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SellerPayments } from "#components/partner/connection/seller-payments-page.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { findServiceUserId } from "#lib/partner/connections/connected-users.ts";
import { readSellerPayments } from "#lib/partner/connections/seller-payments.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";

export function generateMetadata(): Metadata {
  return { title: words("payments")("title") };
}

type Props = { searchParams: Promise<{ after?: string | string[] }> };

export default async function SellerPaymentsPage({ searchParams }: Props) {
  const person = await requirePerson({ role: "seller", returnTo: "/dashboard/payments" });
  const serviceUserId = await findServiceUserId(partner(), person);
  if (!serviceUserId) redirect("/onboarding/status");
  const { after } = await searchParams;
  const start = typeof after === "string" ? after : undefined;
  return (
    <PageWords of={["payments", "statuses"]}>
      <SellerPayments after={start} payments={readSellerPayments(partner(), serviceUserId, start)} />
    </PageWords>
  );
}
