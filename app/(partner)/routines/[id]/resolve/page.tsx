import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { ResolveRoutine } from "#components/partner/routines/resolve-routine.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { readRoutineView } from "#lib/partner/routines/routine-view.ts";
import { words } from "#lib/partner/words/words.ts";
import { acknowledgeSecond, confirmArrived, confirmEnd, confirmNotCreated, confirmSendAgain } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("resolve")("pageTitle") };
}

type Props = { params: Promise<{ id: string }> };

export default async function ResolveRoutineRoute({ params }: Props) {
  const { id } = await params;
  await requirePerson({ role: "operator", returnTo: `/routines/${id}/resolve` });
  const payment = await readRoutineView(partner(), id);
  if (!payment) notFound();
  if (payment.isResolved) redirect(`/routines/${id}`);
  return (
    <ResolveRoutine
      payment={payment}
      confirmArrived={confirmArrived}
      confirmNotCreated={confirmNotCreated}
      acknowledgeSecond={acknowledgeSecond}
      confirmSendAgain={confirmSendAgain}
      confirmEnd={confirmEnd}
    />
  );
}
