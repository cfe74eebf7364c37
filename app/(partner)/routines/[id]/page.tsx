import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { RoutinePage } from "#components/partner/routines/routine-page.tsx";
import { SeeAsSellerOffer } from "#components/partner/sandbox/offers.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { watchRoutine } from "#lib/partner/routines/refresh-routine.ts";
import { readRoutineView } from "#lib/partner/routines/routine-view.ts";
import { readSellerOffer } from "#lib/partner/sandbox/switch-offers.ts";
import { words } from "#lib/partner/words/words.ts";
import { switchPerson } from "../../sandbox-actions.ts";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params;
  await requirePerson({ role: "operator", returnTo: `/routines/${id}` });
  return { title: (await readRoutineView(partner(), id))?.name ?? words("paid")("payment") };
}

export default async function RoutineRoute({ params }: Props) {
  const { id } = await params;
  await requirePerson({ role: "operator", returnTo: `/routines/${id}` });
  await watchRoutine(partner(), id);
  const routine = await readRoutineView(partner(), id);
  if (!routine) notFound();
  return (
    <>
      <SeeAsSellerOffer offer={await readSellerOffer(partner(), id)} action={switchPerson} />
      <RoutinePage initial={routine} />
    </>
  );
}
