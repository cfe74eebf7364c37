"use client";

import { useFormContext } from "react-hook-form";
import { Field } from "#components/ui/field.tsx";
import { Select } from "#components/ui/select.tsx";
import { stateCodes } from "#lib/contract/state-codes.ts";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";
import { FormField } from "./form-field.tsx";

/** Where the person lives. */
export function AddressStep() {
  const { register, formState } = useFormContext<OnboardingInput>();
  const error = formState.errors.state?.message;
  return (
    <>
      <FormField name="address1" label="Street address" autoComplete="address-line1" />
      <FormField name="address2" label="Apartment or suite" autoComplete="address-line2" optional />
      <FormField name="city" label="City" autoComplete="address-level2" />
      <div className="grid gap-6 sm:grid-cols-2">
        <Field label="State" htmlFor="state" {...(error && { error })}>
          <Select id="state" invalid={Boolean(error)} required autoComplete="address-level1" {...register("state")}>
            <option value="">Choose</option>
            {stateCodes.map((code) => (
              <option key={code}>{code}</option>
            ))}
          </Select>
        </Field>
        <FormField name="postal_code" label="ZIP code" autoComplete="postal-code" inputMode="numeric" maxLength={5} />
      </div>
    </>
  );
}
