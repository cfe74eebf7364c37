import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignInForm } from "#components/console/sign-in-form.tsx";
import { providers } from "#lib/service/providers.ts";
import { consoleAddress } from "#lib/service/sandbox/console/sign-in.ts";
import { findConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Sign in to the console" };

type Search = { searchParams: Promise<{ problem?: string | string[]; return_to?: string | string[] }> };

export default async function ConsoleSignInPage({ searchParams }: Search) {
  const { problem, return_to } = await searchParams;
  const returnTo = consoleAddress(return_to?.toString());
  if (await findConsoleClient()) redirect(returnTo);
  return (
    <SignInForm
      problem={problem?.toString()}
      returnTo={returnTo}
      seededClientId={providers().demoCredentials?.()?.clientId}
    />
  );
}
