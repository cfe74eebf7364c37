"use client";

import { useFormContext } from "react-hook-form";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";
import { shopKey } from "#lib/partner/onboarding/own-pairs.ts";
import { DeveloperNote } from "./developer-note.tsx";
import { PairEditor } from "./pair-editor.tsx";

/** Which shop is paid, and whatever else the partner notes on a user: both are the intent's metadata. */
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
