import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { CallbackProblemPage } from "#components/partner/callback/callback-problem-page.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { isCallbackProblem, nextLink } from "#lib/partner/authorization/finish-authorization.ts";
import { findPerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { reauthorize, reauthorizeBusiness } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("callback")("pageTitle") };
}

type Props = { searchParams: Promise<{ reason?: string | string[] }> };

/** Needs no session, because it shows only fixed text. */
export default async function CallbackProblemRoute({ searchParams }: Props) {
  const { reason } = await searchParams;
  if (!isCallbackProblem(reason)) notFound();
  const person = await findPerson();
  const retryAction = person && (person.role === "operator" ? reauthorizeBusiness : reauthorize);
  return (
    <PageWords of={["connection"]}>
      <CallbackProblemPage problem={reason} again={retryAction} forward={await nextLink(partner(), person)} />
    </PageWords>
  );
}
