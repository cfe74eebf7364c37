import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { SellerPaymentPage } from "#components/partner/connection/seller-payment.tsx";
import { LiveProvider } from "#components/partner/live/live-provider.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { findServiceUserId } from "#lib/partner/connections/connected-users.ts";
import { readSellerPayment } from "#lib/partner/connections/seller-payments.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";

export function generateMetadata(): Metadata {
  return { title: words("payments")("payment") };
}

type Props = { params: Promise<{ id: string }> };

export default async function SellerPaymentRoute({ params }: Props) {
  const { id } = await params;
  const person = await requirePerson({ role: "seller", returnTo: `/dashboard/payments/${id}` });
  const serviceUserId = await findServiceUserId(partner(), person);
  if (!serviceUserId) redirect("/onboarding/status");
  const payment = await readSellerPayment(partner(), serviceUserId, decodeURIComponent(id));
  if (!payment) notFound();
  return (
    <PageWords of={["payments", "statuses"]}>
      <LiveProvider>
        <SellerPaymentPage id={decodeURIComponent(id)} initial={payment} />
      </LiveProvider>
    </PageWords>
  );
}
