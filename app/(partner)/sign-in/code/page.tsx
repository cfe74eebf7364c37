import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { CodeForm } from "#components/partner/people/code-form.tsx";
import { CodeHeader } from "#components/partner/people/code-header.tsx";
import { SandboxPhone } from "#components/partner/sandbox-phone.tsx";
import { readPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { enterCode, resendCode } from "../actions.ts";

export const metadata: Metadata = { title: "Enter your code" };

export default async function CodePage() {
  const pending = await readPendingSignIn();
  if (!pending) redirect("/sign-in");
  const { codeDigits, phoneEnding } = pending;
  const isPhoneFirst = pending.phoneFirst !== undefined;
  return (
    <div className="mx-auto max-w-xl">
      <CodeHeader digits={codeDigits} phoneEnding={phoneEnding} isPhoneFirst={isPhoneFirst} />
      <CodeForm
        action={enterCode}
        resend={resendCode}
        digits={codeDigits}
        label={isPhoneFirst ? "Continue" : "Sign in"}
      />
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
