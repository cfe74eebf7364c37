import type { UseFormRegisterReturn } from "react-hook-form";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { stateNames } from "./state-names.ts";

/** What each input of a question gets. */
export type AnswerInputProps = UseFormRegisterReturn & {
  id: string;
  invalid: boolean;
  required: boolean;
  autoComplete: string;
};

/** What a question gets that brings several inputs, with their label and their error. */
export type AnswerFieldsProps = { label: string; hint?: string };

/** One of the states by its name. */
export function StateInput(props: AnswerInputProps) {
  return (
    <Select {...props}>
      <option value="">Choose your state</option>
      {Object.entries(stateNames).map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  );
}

/** Five digits; nine are cut when it is read, not while it is typed. */
export function ZipCodeInput(props: AnswerInputProps) {
  return <TextInput {...props} inputMode="numeric" className="tabular-nums" />;
}
