import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignIn, type SignInNotice } from "#components/partner/people/sign-in.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { findPerson, pathAfterSignIn } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { ownPath } from "#lib/partner/requests/form-fields.ts";
import { listDemoPeople } from "#lib/partner/sandbox/seed.ts";
import { words } from "#lib/partner/words/words.ts";
import { signIn, signInDemoPerson } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("signIn")("title") };
}

type Props = {
  searchParams: Promise<Partial<Record<"return_to" | "phone" | "account" | "ended", string | string[]>>>;
};

export default async function SignInPage({ searchParams }: Props) {
  const { return_to, phone, account, ended } = await searchParams;
  const returnTo = ownPath(String(return_to ?? ""), "");
  const person = await findPerson();
  if (person) redirect(pathAfterSignIn(person, returnTo, person.role === "operator" ? "/business" : "/dashboard"));
  return (
    <PageWords of={["signIn", "person"]}>
      <SignIn
        action={signIn}
        demoAction={signInDemoPerson}
        demoPeople={await listDemoPeople(partner())}
        returnTo={returnTo}
        isPhoneProven={phone === "proven"}
        notice={noticeOf(account, ended)}
      />
    </PageWords>
  );
}

function noticeOf(account: unknown, ended: unknown): SignInNotice | undefined {
  if (account === "yes") return "hasAccount";
  if (ended === "yes") return "ended";
  return ended === "code" ? "noCode" : undefined;
}
