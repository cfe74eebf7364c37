"use client";

import { type ClipboardEvent, type FocusEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import { type DateParts, isWholeDate, partsOfDate, textOfDate } from "#lib/kit/us-formats.ts";
import { FieldError } from "./field.tsx";
import { TextInput } from "./text-input.tsx";
import { useUiWords } from "./ui-words.tsx";

export type DateFieldsProps = {
  /** The id of the first field. The fields are named `<id>_month`, `<id>_day`, `<id>_year`. */
  id: string;
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  /** Like `05/14/1990`, possibly partial. */
  value: string;
  /** Receives the date in the format of `value`. */
  onChange?: (value: string) => void;
  /** Called when the focus leaves all three. */
  onBlur?: () => void;
};

const fields = [
  { part: "month", autoComplete: "bday-month", width: "w-20" },
  { part: "day", autoComplete: "bday-day", width: "w-20" },
  { part: "year", autoComplete: "bday-year", width: "w-28" },
] as const;

/** A date of birth in three fields, month first. Accepts a pasted date in any of them; a slash moves to the next. */
export function DateFields({ id, label, hint, error, value, onChange, onBlur }: DateFieldsProps) {
  const words = useUiWords();
  const [typed, setTyped] = useState(() => partsOfDate(value));
  // With `onChange`, the caller's value wins over what was typed.
  const parts = onChange && textOfDate(typed) !== value ? partsOfDate(value) : typed;

  function change(next: DateParts): void {
    setTyped(next);
    onChange?.(textOfDate(next));
  }

  function paste(event: ClipboardEvent<HTMLInputElement>): void {
    const text = event.clipboardData.getData("text");
    if (!isWholeDate(text)) return;
    event.preventDefault();
    change(partsOfDate(text));
  }

  function leave({ currentTarget, relatedTarget }: FocusEvent): void {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) onBlur?.();
  }

  return (
    <fieldset aria-describedby={`${id}-error ${id}-hint`} onBlur={leave} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-semibold leading-snug">{label}</legend>
      {hint ? (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      ) : null}
      <div className="flex gap-3">
        {fields.map(({ part, autoComplete, width }, index) => (
          <div key={part} className={`flex min-w-0 flex-col gap-1 ${width}`}>
            <label htmlFor={idOf(id, index)} className="text-sm">
              {words[part]}
            </label>
            <TextInput
              id={idOf(id, index)}
              name={`${id}_${part}`}
              inputMode="numeric"
              autoComplete={autoComplete}
              aria-required
              invalid={error !== undefined}
              value={parts[part]}
              onChange={({ target }) => change({ ...parts, [part]: target.value })}
              onPaste={paste}
              onKeyDown={(event) => advanceOnSeparator(event, fields[index + 1] && idOf(id, index + 1))}
            />
          </div>
        ))}
      </div>
      {error ? <FieldError id={`${id}-error`}>{error}</FieldError> : null}
    </fieldset>
  );
}

function idOf(id: string, index: number): string {
  return index === 0 ? id : `${id}_${fields[index]?.part}`;
}

function advanceOnSeparator(event: KeyboardEvent, nextId: string | undefined): void {
  if (!["/", "-", "."].includes(event.key)) return;
  event.preventDefault();
  if (nextId) document.getElementById(nextId)?.focus();
}
