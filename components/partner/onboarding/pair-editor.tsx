"use client";

import { useState } from "react";
import { useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { brandName } from "#brand/name.ts";
import { Button } from "#components/ui/button.tsx";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";
import { customerIdKey, ownPairsMax } from "#lib/partner/onboarding/own-pairs.ts";
import { MetadataPair } from "./metadata-pair.tsx";

/** Notes beside the shop number: key/value pairs within the published limits. Folded, because few sellers have any. */
export function PairEditor() {
  const { control, formState, trigger } = useFormContext<OnboardingInput>();
  const { fields, append, remove } = useFieldArray({ control, name: "metadata" });
  const { errors } = formState;
  const [isOpenAtFirst] = useState(fields.length > 0);
  const listError = errors.metadata?.root?.message ?? errors.metadata?.message;
  const pairsMax = useWatch({ control, name: "shop" }) === "" ? ownPairsMax : ownPairsMax - 1;

  function removePair(index: number): void {
    remove(index);
    // What was wrong may have gone with it: two pairs with one key are one now.
    if (errors.metadata) void trigger("metadata");
  }

  return (
    <details className="rounded-card border border-line" open={isOpenAtFirst}>
      <summary className="cursor-pointer rounded-card px-4 py-3 font-semibold">More notes</summary>
      <div className="flex flex-col gap-6 border-t border-line p-4">
        <p className="text-ink-soft">
          Notes that stay with your payment account. You don't need any. Please leave out card numbers, bank accounts
          and anything personal. {brandName} adds <code>{customerIdKey}</code> itself.
        </p>
        {fields.length > 0 ? (
          <ul className="flex flex-col gap-6">
            {fields.map(({ id }, index) => (
              <MetadataPair key={id} index={index} remove={() => removePair(index)} />
            ))}
          </ul>
        ) : null}
        {listError ? (
          <p id="metadata" tabIndex={-1} className="font-semibold text-danger">
            {listError}
          </p>
        ) : null}
        <div className="flex flex-wrap items-center gap-4">
          <Button
            variant="secondary"
            disabled={fields.length >= pairsMax}
            onClick={() => append({ key: "", value: "" })}
          >
            Add a pair
          </Button>
          <p role="status" className="text-sm text-ink-soft tabular-nums">
            {fields.length} of {pairsMax} pairs
          </p>
        </div>
      </div>
    </details>
  );
}
