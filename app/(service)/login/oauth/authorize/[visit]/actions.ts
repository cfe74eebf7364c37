"use server";

import { refresh } from "next/cache";
import { RedirectType, redirect } from "next/navigation";
import { correctIdentity } from "#lib/service/operations/people/submit-identity.ts";
import { authorizeVisit } from "#lib/service/operations/visits/authorize-visit.ts";
import { cancelVisit } from "#lib/service/operations/visits/cancel-visit.ts";
import { resendVerificationCode } from "#lib/service/operations/visits/send-verification-code.ts";
import { verifyCode } from "#lib/service/operations/visits/verify-code.ts";
import type { VisitKey } from "#lib/service/operations/visits/visit-key.ts";
import { requireServiceListener } from "../../../../require-service-listener.ts";
import { readVisitKey } from "../visit-key.ts";

// Each action changes the visit and then shows the page again, which reads its state from the row.

export async function verify(form: FormData): Promise<void> {
  await go(form, (key) => verifyCode(key, String(form.get("code") ?? "")));
}

export async function resend(form: FormData): Promise<void> {
  await go(form, resendVerificationCode);
}

export async function correct(form: FormData): Promise<void> {
  const [dateOfBirth, ssn] = [String(form.get("date_of_birth") ?? ""), String(form.get("ssn") ?? "")];
  await go(form, (key) => correctIdentity(key, { dateOfBirth, ssn }));
}

export async function authorize(form: FormData): Promise<void> {
  await go(form, authorizeVisit);
}

export async function cancel(form: FormData): Promise<void> {
  await go(form, cancelVisit);
}

async function go(form: FormData, act: (key: VisitKey) => Promise<{ kind: string; returnTo?: string }>) {
  await requireServiceListener();
  const { returnTo } = await act(await readVisitKey(String(form.get("visit") ?? "")));
  if (returnTo) redirect(returnTo, RedirectType.replace);
  // Not a redirect to the same page: Next would request it, with the visitor's cookies, from Harbor's listener.
  refresh();
}
