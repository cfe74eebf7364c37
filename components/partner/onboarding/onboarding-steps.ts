import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";

/** The steps in their order, each with the fields that it asks for. Review asks for none. */
export const steps: { title: string; fields: (keyof OnboardingInput)[] }[] = [
  { title: "About you", fields: ["first_name", "last_name", "date_of_birth", "ssn"] },
  { title: "Address", fields: ["address1", "address2", "city", "state", "postal_code"] },
  { title: "Metadata", fields: ["metadata"] },
  { title: "Review", fields: [] },
];

/** The last step, from which the form is sent. */
export const reviewStep = steps.length - 1;

/** The step that asks for a field, as `ssn` or `metadata.0.key`; the last one for what no field can mend. */
export function stepOf(field: string): number {
  const [name] = field.split(".");
  const found = steps.findIndex(({ fields }) => fields.some((known) => known === name));
  return found < 0 ? reviewStep : found;
}
