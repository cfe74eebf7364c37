import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { NewBatch } from "#components/partner/routines/new-batch.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { withQuery } from "#lib/partner/requests/form-fields.ts";
import { readNewestBatches } from "#lib/partner/routines/batch-view.ts";
import { readRoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { draftOfForm } from "#lib/partner/routines/submit-batch.ts";
import { words } from "#lib/partner/words/words.ts";
import { authorizeBusiness } from "../../business/actions.ts";
import { reviewBatch } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("pay.many")("title") };
}

type Props = { searchParams: Promise<{ form?: string | string[] }> };

export default async function NewBatchPage({ searchParams }: Props) {
  const query = await searchParams;
  await requirePerson({ role: "operator", returnTo: withQuery("/routines/batch", query) });
  // The id is in the URL, so that a reload or Back keeps the same batch.
  const draft = await draftOfForm(partner(), query.form);
  if (!draft) redirect(`/routines/batch?form=${crypto.randomUUID()}`);
  return (
    <NewBatch
      draft={draft}
      choices={readRoutineChoices(partner())}
      earlier={await readNewestBatches(partner())}
      review={reviewBatch}
      authorize={authorizeBusiness}
    />
  );
}
