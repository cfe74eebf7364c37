"use client";

import { type Fillable, typeInto, useFillable } from "#components/sandbox/fillable.ts";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/field.tsx";
import { PhoneInput } from "#components/ui/phone-input.tsx";
import { passwordCharactersMin } from "#lib/partner/people/password-length.ts";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { TextField } from "./text-field.tsx";

const newSeller: Fillable = {
  label: "Fill it in",
  fill: async ({ firstName, lastName, email, phone, password }) => {
    await typeInto("email", { first_name: firstName, last_name: lastName, email, phone, password });
    return `${firstName} ${lastName} is made up. The password is ${password}`;
  },
};

const loadFields = async () => (await import("#lib/partner/people/sign-in-fields.ts")).registrationFields;

export function SignUpForm({ action }: { action: FormAction }) {
  const { state, errorOf, isPending, formProps } = useFormAction(action, { loadFields });
  const t = useWords("signUp");
  const person = useWords("person");
  const phoneError = errorOf("phone");
  useFillable(newSeller);
  return (
    <ActionForm {...formProps} onFocus={loadFields} className="flex flex-col gap-6">
      <FormProblems {...state} />
      <div className="grid gap-6 sm:grid-cols-2">
        <TextField
          name="first_name"
          label={person("firstName")}
          autoComplete="given-name"
          error={errorOf("first_name")}
        />
        <TextField
          name="last_name"
          label={person("lastName")}
          autoComplete="family-name"
          error={errorOf("last_name")}
        />
      </div>
      <TextField
        name="email"
        label={person("email")}
        type="email"
        autoComplete="email"
        inputMode="email"
        error={errorOf("email")}
      />
      <Field label={person("phone")} htmlFor="phone" hint={t("phoneHint")} error={phoneError}>
        <PhoneInput id="phone" name="phone" required invalid={phoneError !== undefined} />
      </Field>
      <TextField
        name="password"
        label={person("password")}
        hint={t("passwordHint", { min: String(passwordCharactersMin) })}
        type="password"
        autoComplete="new-password"
        error={errorOf("password")}
      />
      <Button type="submit" size="lg" className="self-start" pending={isPending}>
        {t("submit")}
      </Button>
    </ActionForm>
  );
}
