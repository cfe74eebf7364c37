import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { BatchPage } from "#components/partner/routines/batch-page.tsx";
import { BatchReview } from "#components/partner/routines/batch-review.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { readBatchView } from "#lib/partner/routines/batch-view.ts";
import { readRoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { words } from "#lib/partner/words/words.ts";
import { authorizeBusiness } from "../../../business/actions.ts";
import { payBatch, retryBatch } from "../actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("pay.many")("pageTitle") };
}

type Props = { params: Promise<{ id: string }> };

export default async function BatchRoute({ params }: Props) {
  const { id } = await params;
  await requirePerson({ role: "operator", returnTo: `/routines/batch/${id}` });
  const batch = await readBatchView(partner(), id);
  if (!batch) notFound();
  if (batch.confirmedAt !== null) return <BatchPage initial={batch} retry={retryBatch} />;
  return (
    <BatchReview batch={batch} choices={readRoutineChoices(partner())} pay={payBatch} authorize={authorizeBusiness} />
  );
}
