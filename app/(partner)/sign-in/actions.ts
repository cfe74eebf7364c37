"use server";

import type { FormState } from "#lib/partner/people/form-state.ts";
import { submitCode, submitDemoSignIn, submitResend, submitSignIn, submitSignOut } from "#lib/partner/people/forms.ts";

export async function signIn(_previous: FormState, form: FormData): Promise<FormState> {
  return submitSignIn(form);
}

export async function signInDemoPerson(form: FormData): Promise<void> {
  await submitDemoSignIn(form);
}

export async function enterCode(_previous: FormState, form: FormData): Promise<FormState> {
  return submitCode(form);
}

export async function resendCode(_previous: string): Promise<string> {
  return submitResend();
}

export async function signOut(): Promise<void> {
  await submitSignOut();
}
