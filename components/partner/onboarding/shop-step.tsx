"use client";

import { useState } from "react";
import { useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import { customerIdKey, ownPairsMax } from "#lib/partner/onboarding/metadata-pairs.ts";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";
import { useWords } from "#use-words";

export function ShopStep() {
  const { register, formState, trigger } = useFormContext<OnboardingInput>();
  const error = formState.errors.shop?.message;
  const t = useWords("onboarding.shop");
  return (
    <>
      <Field label={t("label")} htmlFor="shop" optional hint={t("hint")} error={error}>
        <TextInput
          id="shop"
          invalid={Boolean(error)}
          autoComplete="off"
          spellCheck={false}
          className="max-w-60"
          {...register("shop", { onChange: () => error && trigger("shop") })}
        />
      </Field>
      <PairEditor />
    </>
  );
}

export function PairEditor() {
  const { control, formState, trigger } = useFormContext<OnboardingInput>();
  const { fields, append, remove } = useFieldArray({ control, name: "metadata" });
  const { errors } = formState;
  const t = useWords("onboarding.notes");
  const [isOpenAtFirst] = useState(fields.length > 0);
  const listError = errors.metadata?.root?.message ?? errors.metadata?.message;
  const pairsMax = useWatch({ control, name: "shop" }) === "" ? ownPairsMax : ownPairsMax - 1;

  function removePair(index: number): void {
    remove(index);
    // Removing a pair can fix a duplicate key.
    if (errors.metadata) void trigger("metadata");
  }

  return (
    <details className="rounded-card border border-line" open={isOpenAtFirst}>
      <summary className="cursor-pointer rounded-card px-4 py-3 font-semibold">{t("title")}</summary>
      <div className="flex flex-col gap-6 border-t border-line p-4">
        <p className="text-ink-soft">{t.rich("text", { code: () => <code>{customerIdKey}</code> })}</p>
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
            {t("add")}
          </Button>
          <p role="status" className="text-sm text-ink-soft tabular-nums">
            {t("count", { count: String(fields.length), max: String(pairsMax) })}
          </p>
        </div>
      </div>
    </details>
  );
}

export function MetadataPair({ index, remove }: { index: number; remove: () => void }) {
  const t = useWords("onboarding.notes");
  return (
    <li className="grid gap-4 rounded-card border border-line p-4 sm:grid-cols-[2fr_3fr_auto] sm:items-start">
      <PairField index={index} part="key" charactersMax={limits.metadataKeyCharactersMax} />
      <PairField index={index} part="value" charactersMax={limits.metadataValueCharactersMax} />
      <Button
        variant="ghost"
        className="sm:mt-13"
        onClick={remove}
        aria-label={t("removePair", { number: String(index + 1) })}
      >
        {t("remove")}
      </Button>
    </li>
  );
}

type PairFieldProps = { index: number; part: "key" | "value"; charactersMax: number };

function PairField({ index, part, charactersMax }: PairFieldProps) {
  const name = `metadata.${index}.${part}` as const;
  const { register, control, formState, trigger } = useFormContext<OnboardingInput>();
  const t = useWords("onboarding.notes");
  const typed = useWatch({ control, name }) ?? "";
  const error = formState.errors.metadata?.[index]?.[part]?.message;
  return (
    <Field
      label={
        <>
          {t(part)} <span className="sr-only">{t("ofPair", { number: String(index + 1) })}</span>
        </>
      }
      htmlFor={name}
      hint={t("characters", { count: String([...typed].length), max: String(charactersMax) })}
      error={error}
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
