import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { CodeForm } from "#components/partner/people/code-form.tsx";
import { SandboxPhone } from "#components/partner/sandbox-phone.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { readPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { enterCode, resendCode } from "../actions.ts";

export const metadata: Metadata = { title: "Enter your code" };

export default async function CodePage() {
  const pending = await readPendingSignIn();
  if (!pending) redirect("/sign-in");
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader
        title="Enter your code"
        description={`We are sending six digits to your phone ending in ${pending.phoneEnding}.`}
        back={{ href: "/sign-in", label: "Start again" }}
      />
      <CodeForm action={enterCode} resend={resendCode} />
      <p className="mt-6 text-ink-soft">
        No text? Check the number that you gave, or{" "}
        <Link className="font-semibold underline underline-offset-4" href="/sign-in">
          sign in
        </Link>{" "}
        if you have an account already.
      </p>
      <SandboxPhone />
    </div>
  );
}
