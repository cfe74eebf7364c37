"use client";

import { useFormContext, useWatch } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";

/** One pair: checked by the service's own rules while it is typed, with the characters counted as the service does. */
export function MetadataPair({ index, remove }: { index: number; remove: () => void }) {
  return (
    <li className="grid gap-4 rounded-card border border-line p-4 sm:grid-cols-[2fr_3fr_auto] sm:items-start">
      <PairField index={index} part="key" label="Key" charactersMax={limits.metadataKeyCharactersMax} />
      <PairField index={index} part="value" label="Value" charactersMax={limits.metadataValueCharactersMax} />
      <Button variant="ghost" className="sm:mt-13" onClick={remove} aria-label={`Remove pair ${index + 1}`}>
        Remove
      </Button>
    </li>
  );
}

type PairFieldProps = { index: number; part: "key" | "value"; label: string; charactersMax: number };

function PairField({ index, part, label, charactersMax }: PairFieldProps) {
  const name = `metadata.${index}.${part}` as const;
  const { register, control, formState, trigger } = useFormContext<OnboardingInput>();
  const typed = useWatch({ control, name }) ?? "";
  const error = formState.errors.metadata?.[index]?.[part]?.message;
  return (
    <Field
      label={
        <>
          {label} <span className="sr-only">of pair {index + 1}</span>
        </>
      }
      htmlFor={name}
      hint={`${[...typed].length} of ${charactersMax} characters`}
      {...(error && { error })}
    >
      <TextInput
        id={name}
        invalid={Boolean(error)}
        required
        spellCheck={false}
        autoComplete="off"
        {...register(name, { onChange: () => trigger(name) })}
      />
    </Field>
  );
}
