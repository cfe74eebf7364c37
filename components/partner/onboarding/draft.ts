import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";

/** What a reload must not lose. The ssn is no part of it: it is never kept anywhere in a browser. */
export type Draft = {
  personId: string;
  /** The step in view, and the farthest one that was ever in view. */
  step: number;
  reached: number;
  values: Omit<OnboardingInput, "ssn">;
};

const key = "harbor-onboarding";

/** The draft of this person in this tab; another person's is thrown away. */
export function readDraft(personId: string): Draft | undefined {
  try {
    const draft: Draft | null = JSON.parse(sessionStorage.getItem(key) ?? "null");
    if (draft?.personId === personId) return draft;
  } catch {
    // What cannot be read is of no use to anybody.
  }
  clearDraft();
  return undefined;
}

/** Keeps the answers given so far, but for the ssn. */
export function writeDraft(place: Omit<Draft, "values">, { ssn: _unkept, ...values }: OnboardingInput): void {
  const draft: Draft = { ...place, values };
  sessionStorage.setItem(key, JSON.stringify(draft));
}

/** Forgets the draft, once nobody will need the answers again. */
export function clearDraft(): void {
  sessionStorage.removeItem(key);
}
