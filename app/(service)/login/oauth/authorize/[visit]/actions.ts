"use server";

import { refresh } from "next/cache";
import { RedirectType, redirect } from "next/navigation";
import type { CorrectionState } from "#components/authorization/visit-form.tsx";
import { textOfDate } from "#lib/kit/us-formats.ts";
import { authorizeVisit, cancelVisit } from "#lib/service/operations/visits/finish-visit.ts";
import type { VisitKey } from "#lib/service/operations/visits/read-visit.ts";
import { correctIdentity } from "#lib/service/operations/visits/submit-identity.ts";
import { resendVerificationCode, verifyCode } from "#lib/service/operations/visits/verify-code.ts";
import { requireServiceListener } from "../../../../require-service-listener.ts";
import { readVisitKey } from "../visit-key.ts";

// Each action changes the visit and re-renders the page from the stored state.

export async function verify(form: FormData): Promise<void> {
  await go(form, (key) => verifyCode(key, String(form.get("code") ?? "")));
}

export async function resend(form: FormData): Promise<void> {
  await go(form, resendVerificationCode);
}

export async function correct(_previous: CorrectionState, form: FormData): Promise<CorrectionState> {
  const read = (name: string) => String(form.get(name) ?? "");
  const [month, day, year] = [read("date_of_birth_month"), read("date_of_birth_day"), read("date_of_birth_year")];
  const dateOfBirth = textOfDate({ month, day, year });
  await go(form, (key) => correctIdentity(key, { dateOfBirth, ssn: read("ssn") }));
  // Truncated: anything longer isn't a date.
  return { dateOfBirth: dateOfBirth.slice(0, 40) };
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
  // Not a redirect to the same page: Next would fetch it, with the visitor's cookies, from Harbor's listener.
  refresh();
}
