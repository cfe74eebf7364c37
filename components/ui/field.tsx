import type { ReactNode } from "react";
import { UiWord } from "./ui-words.tsx";

export type FieldProps = {
  label: ReactNode;
  /** The control's id; the hint and error get `<id>-hint` and `<id>-error`. */
  htmlFor: string;
  hint?: ReactNode;
  error?: string;
  optional?: boolean;
  children: ReactNode;
};

export function Field({ label, htmlFor, hint, error, optional = false, children }: FieldProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={htmlFor} className="font-semibold leading-snug">
        {label}
        {optional ? (
          <span className="font-normal text-ink-soft">
            {" "}
            (<UiWord name="optional" />)
          </span>
        ) : null}
      </label>
      {hint ? (
        <p id={`${htmlFor}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      ) : null}
      {children}
      {error ? <FieldError id={`${htmlFor}-error`}>{error}</FieldError> : null}
    </div>
  );
}

export function FieldError({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p id={id} className="flex items-start gap-1.5 text-sm font-semibold text-danger">
      <svg viewBox="0 0 16 16" className="mt-1 size-3.5 shrink-0" aria-hidden="true" fill="currentColor">
        <path d="M8 1 0.8 14.2h14.4L8 1Zm-.8 5h1.6v4H7.2V6Zm0 5.2h1.6v1.6H7.2v-1.6Z" />
      </svg>
      <span>
        <span className="sr-only">
          <UiWord name="error" />:{" "}
        </span>
        {children}
      </span>
    </p>
  );
}
