import type { Metadata } from "next";
import Link from "next/link";
import { SignUpForm } from "#components/partner/people/sign-up-form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { signUp } from "./actions.ts";

export const metadata: Metadata = { title: "Sign up" };

export default function SignUpPage() {
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title="Sell on Harbor" description="An account takes a minute. Getting paid takes two more." />
      <SignUpForm action={signUp} />
      <p className="mt-6">
        Have an account already?{" "}
        <Link className="font-semibold underline underline-offset-4" href="/sign-in">
          Sign in
        </Link>
      </p>
    </div>
  );
}
