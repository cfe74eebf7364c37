import type { ComponentProps, ReactNode } from "react";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";

type TextFieldProps = Omit<ComponentProps<"input">, "id" | "name"> & {
  /** The field's name on the wire, and its id. */
  name: string;
  label: string;
  hint?: ReactNode;
  error?: string;
};

export function TextField({ name, label, hint, error, ...input }: TextFieldProps) {
  return (
    <Field label={label} htmlFor={name} hint={hint} error={error}>
      <TextInput id={name} name={name} invalid={Boolean(error)} required {...input} />
    </Field>
  );
}
