"use client";

import { type ReactNode, useState } from "react";
import { useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { brandName } from "#brand/name.ts";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import { customerIdKey, ownPairsMax, shopKey } from "#lib/partner/onboarding/metadata-pairs.ts";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";

export function ShopStep({ isSandbox }: { isSandbox: boolean }) {
  const { register, formState, trigger } = useFormContext<OnboardingInput>();
  const error = formState.errors.shop?.message;
  return (
    <>
      <Field
        label="Shop number"
        htmlFor="shop"
        optional
        hint="You can find it in your seller agreement, for example 4711."
        {...(error && { error })}
      >
        <TextInput
          id="shop"
          invalid={Boolean(error)}
          autoComplete="off"
          spellCheck={false}
          className="max-w-60"
          {...register("shop", { onChange: () => error && trigger("shop") })}
        />
      </Field>
      {isSandbox ? (
        <DeveloperNote>
          This answer becomes <code>metadata.{shopKey}</code> of the user intent.
        </DeveloperNote>
      ) : null}
      <PairEditor />
    </>
  );
}

export function DeveloperNote({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-control border border-dashed border-line-strong px-3.5 py-2 text-sm text-ink-soft">
      <span className="font-semibold">For developers: </span>
      {children}
    </p>
  );
}

export function PairEditor() {
  const { control, formState, trigger } = useFormContext<OnboardingInput>();
  const { fields, append, remove } = useFieldArray({ control, name: "metadata" });
  const { errors } = formState;
  const [isOpenAtFirst] = useState(fields.length > 0);
  const listError = errors.metadata?.root?.message ?? errors.metadata?.message;
  const pairsMax = useWatch({ control, name: "shop" }) === "" ? ownPairsMax : ownPairsMax - 1;

  function removePair(index: number): void {
    remove(index);
    // Removing a pair may fix a duplicate key.
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
