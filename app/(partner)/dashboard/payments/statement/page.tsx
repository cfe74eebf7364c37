import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Statement } from "#components/partner/connection/statement-page.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { findServiceUserId } from "#lib/partner/connections/connected-users.ts";
import { readStatement } from "#lib/partner/connections/statement.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";

export function generateMetadata(): Metadata {
  return { title: words("payments.statement")("title") };
}

export default async function StatementPage() {
  const person = await requirePerson({ role: "seller", returnTo: "/dashboard/payments/statement" });
  const serviceUserId = await findServiceUserId(partner(), person);
  if (!serviceUserId) redirect("/onboarding/status");
  return (
    <PageWords of={["payments", "statuses"]}>
      <Statement name={`${person.firstName} ${person.lastName}`} statement={readStatement(partner(), serviceUserId)} />
    </PageWords>
  );
}
