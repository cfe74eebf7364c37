"use server";

import type { FormState } from "#lib/partner/people/form-state.ts";
import { submitSignUp } from "#lib/partner/people/forms.ts";

export async function signUp(_previous: FormState, form: FormData): Promise<FormState> {
  return submitSignUp(form);
}
