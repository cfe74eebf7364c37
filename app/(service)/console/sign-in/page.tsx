import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignInForm } from "#components/console/sign-in-form.tsx";
import { providers } from "#lib/service/providers.ts";
import { findConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Sign in to the console" };

type Search = { searchParams: Promise<{ problem?: string | string[] }> };

export default async function ConsoleSignInPage({ searchParams }: Search) {
  if (await findConsoleClient()) redirect("/console");
  const { problem } = await searchParams;
  return <SignInForm problem={problem?.toString()} seededClientId={providers().demoCredentials?.()?.clientId} />;
}
