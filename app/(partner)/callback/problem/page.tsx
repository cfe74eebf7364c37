import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { CallbackProblemPage } from "#components/partner/callback/callback-problem-page.tsx";
import { isCallbackProblem, nextLink } from "#lib/partner/authorization/finish-authorization.ts";
import { findPerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { authorizeBusinessOnceMore, authorizeOnceMore } from "./actions.ts";

export const metadata: Metadata = { title: "Not connected" };

type Props = { searchParams: Promise<{ reason?: string | string[] }> };

/** Needs no session: shows only fixed texts. */
export default async function CallbackProblemRoute({ searchParams }: Props) {
  const { reason } = await searchParams;
  if (!isCallbackProblem(reason)) notFound();
  const person = await findPerson();
  const again = person && (person.role === "operator" ? authorizeBusinessOnceMore : authorizeOnceMore);
  return <CallbackProblemPage problem={reason} again={again} forward={await nextLink(partner(), person)} />;
}
