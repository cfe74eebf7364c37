import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { RoutinePage } from "#components/partner/routines/routine-page.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { readRoutineView } from "#lib/partner/routines/routine-view.ts";

export const metadata: Metadata = { title: "Routine" };

type Props = { params: Promise<{ id: string }> };

export default async function RoutineRoute({ params }: Props) {
  const { id } = await params;
  await requirePerson({ role: "operator", returnTo: `/routines/${id}` });
  const routine = await readRoutineView(id);
  if (!routine) notFound();
  return <RoutinePage initial={routine} />;
}
