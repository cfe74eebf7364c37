"use client";

import { useFieldArray, useFormContext } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { customerIdKey, type OnboardingInput, ownPairsMax } from "#lib/partner/onboarding/onboarding-fields.ts";
import { MetadataPair } from "./metadata-pair.tsx";

/** The partner's own notes on a user: key/value pairs within the published limits. */
export function MetadataStep() {
  const { control, formState } = useFormContext<OnboardingInput>();
  const { fields, append, remove } = useFieldArray({ control, name: "metadata" });
  const { errors } = formState;
  const listError = errors.metadata?.root?.message ?? errors.metadata?.message;
  return (
    <>
      <p className="text-ink-soft">
        Notes that travel with your payout account, such as the number of your shop. They are optional, and no place for
        card numbers, bank accounts or anything personal. Harbor adds <code>{customerIdKey}</code> by itself.
      </p>
      <ul className="flex flex-col gap-6">
        {fields.map(({ id }, index) => (
          <MetadataPair key={id} index={index} remove={() => remove(index)} />
        ))}
      </ul>
      {listError ? (
        <p id="metadata" tabIndex={-1} className="font-semibold text-danger">
          {listError}
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-4">
        <Button
          variant="secondary"
          disabled={fields.length >= ownPairsMax}
          onClick={() => append({ key: "", value: "" })}
        >
          Add a pair
        </Button>
        <p role="status" className="text-sm text-ink-soft tabular-nums">
          {fields.length} of {ownPairsMax} pairs
        </p>
      </div>
    </>
  );
}
