import type { ComponentProps, ReactNode } from "react";
import { controlAria } from "./control-style.ts";

export type CheckboxProps = Omit<ComponentProps<"input">, "type"> & {
  id: string;
  label: ReactNode;
  hint?: ReactNode;
  invalid?: boolean;
};

/** A box with its label beside it; the whole line can be pressed. */
export function Checkbox({ id, label, hint, invalid = false, className = "", ...rest }: CheckboxProps) {
  return (
    <div className={`flex items-start gap-3 ${className}`}>
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-5 shrink-0 accent-accent"
        {...controlAria(id, invalid)}
        {...rest}
      />
      <div>
        <label htmlFor={id} className="font-semibold leading-snug">
          {label}
        </label>
        {hint ? (
          <p id={`${id}-hint`} className="text-sm text-ink-soft">
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  );
}
