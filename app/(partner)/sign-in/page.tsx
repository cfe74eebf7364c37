import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignIn } from "#components/partner/people/sign-in.tsx";
import { findPerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { ownPath } from "#lib/partner/requests/form-fields.ts";
import { listDemoPeople } from "#lib/partner/sandbox/seed.ts";
import { signIn, signInDemoPerson } from "./actions.ts";

export const metadata: Metadata = { title: "Sign in" };

type Props = {
  searchParams: Promise<{ return_to?: string | string[]; phone?: string | string[]; ended?: string | string[] }>;
};

export default async function SignInPage({ searchParams }: Props) {
  const { return_to, phone, ended } = await searchParams;
  const returnTo = ownPath(String(return_to ?? ""), "");
  const person = await findPerson();
  if (person) redirect(returnTo || (person.role === "operator" ? "/business" : "/dashboard"));
  return (
    <SignIn
      action={signIn}
      demoAction={signInDemoPerson}
      demoPeople={await listDemoPeople(partner())}
      returnTo={returnTo}
      isPhoneProven={phone === "proven"}
      isSessionOver={ended === "yes"}
    />
  );
}
