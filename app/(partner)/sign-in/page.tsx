import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { DemoPeople } from "#components/partner/people/demo-people.tsx";
import { SignInForm } from "#components/partner/people/sign-in-form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { listDemoPeople } from "#lib/partner/people/seed.ts";
import { findPerson } from "#lib/partner/people/session.ts";
import { ownPath } from "#lib/partner/requests/own-path.ts";
import { signIn, signInDemoPerson } from "./actions.ts";

export const metadata: Metadata = { title: "Sign in" };

const passwordFirst = "Your password first, then a code that we text to your phone.";
const nowThePassword = "Your phone is proven on this device. Now your password, then a code as always.";

type Props = { searchParams: Promise<{ return_to?: string | string[]; phone?: string | string[] }> };

export default async function SignInPage({ searchParams }: Props) {
  const { return_to, phone } = await searchParams;
  const returnTo = ownPath(String(return_to ?? ""), "");
  const person = await findPerson();
  if (person) redirect(returnTo || (person.role === "operator" ? "/business" : "/dashboard"));
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title="Sign in" description={phone === "proven" ? nowThePassword : passwordFirst} />
      <SignInForm action={signIn} returnTo={returnTo} />
      <p className="mt-6">
        New to Harbor?{" "}
        <Link className="font-semibold underline underline-offset-4" href="/sign-up">
          Sign up
        </Link>
      </p>
      <DemoPeople people={await listDemoPeople()} action={signInDemoPerson} returnTo={returnTo} />
    </div>
  );
}
