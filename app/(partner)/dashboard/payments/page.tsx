import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SellerPayments } from "#components/partner/connection/seller-payments-page.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { findServiceUserId } from "#lib/partner/connections/connected-users.ts";
import { readSellerPayments } from "#lib/partner/connections/seller-payments.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { withQuery } from "#lib/partner/requests/form-fields.ts";
import { words } from "#lib/partner/words/words.ts";

export function generateMetadata(): Metadata {
  return { title: words("payments")("title") };
}

type Props = { searchParams: Promise<{ after?: string | string[] }> };

export default async function SellerPaymentsPage({ searchParams }: Props) {
  const query = await searchParams;
  const person = await requirePerson({ role: "seller", returnTo: withQuery("/dashboard/payments", query) });
  const serviceUserId = await findServiceUserId(partner(), person);
  if (!serviceUserId) redirect("/onboarding/status");
  const start = typeof query.after === "string" ? query.after : undefined;
  return (
    <PageWords of={["payments", "statuses"]}>
      <SellerPayments after={start} payments={readSellerPayments(partner(), serviceUserId, start)} />
    </PageWords>
  );
}
