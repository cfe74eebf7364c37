import type { ComponentProps, ReactNode } from "react";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";

type TextFieldProps = Omit<ComponentProps<"input">, "id" | "name"> & {
  /** The field's name on the wire, and its id. */
  name: string;
  label: string;
  hint?: ReactNode;
  error?: string;
  optional?: boolean;
};

export function TextField({ name, label, hint, error, optional = false, ...input }: TextFieldProps) {
  return (
    <Field label={label} htmlFor={name} hint={hint} optional={optional} error={error}>
      <TextInput id={name} name={name} invalid={Boolean(error)} required={!optional} {...input} />
    </Field>
  );
}
