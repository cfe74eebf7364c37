"use client";

import { Button } from "#components/ui/button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Field } from "#components/ui/field.tsx";
import { PhoneInput } from "#components/ui/phone-input.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

/** The way back for a mistyped number: the other answers of the sign-up stay. */
export function ChangePhoneForm({ action }: { action: FormAction }) {
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  const error = errorOf("phone");
  return (
    <div className="mt-6">
      <Disclosure title="Wrong number? Change it" isOpen={state.problems.length > 0}>
        <form {...formProps} className="flex flex-col gap-5">
          <FormProblems {...state} isShort />
          <Field
            label="Mobile phone"
            htmlFor="phone"
            hint="We'll text a new code to this number. Your other answers are kept."
            {...(error && { error })}
          >
            <PhoneInput id="phone" name="phone" required invalid={error !== undefined} />
          </Field>
          <Button type="submit" variant="secondary" className="self-start" pending={isPending}>
            Change number
          </Button>
        </form>
      </Disclosure>
    </div>
  );
}
