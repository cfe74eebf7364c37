import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";

/** What survives a reload. The ssn is never stored in the browser. */
export type Draft = {
  personId: string;
  /** The current step and the farthest one shown. */
  step: number;
  reached: number;
  values: Omit<OnboardingInput, "ssn">;
};

const key = "harbor-onboarding";

/** This person's draft in this tab. Another person's is deleted. */
export function readDraft(personId: string): Draft | undefined {
  try {
    const draft: Draft | null = JSON.parse(sessionStorage.getItem(key) ?? "null");
    if (draft?.personId === personId) return draft;
  } catch {
    // Unreadable.
  }
  clearDraft();
  return undefined;
}

export function writeDraft(saved: Omit<Draft, "values">, { ssn: _unkept, ...values }: OnboardingInput): void {
  const draft: Draft = { ...saved, values };
  sessionStorage.setItem(key, JSON.stringify(draft));
}

export function clearDraft(): void {
  sessionStorage.removeItem(key);
}
