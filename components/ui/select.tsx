import type { ComponentProps } from "react";
import { controlAria, controlStyle } from "./control-style.ts";

export type SelectProps = ComponentProps<"select"> & { id: string; invalid?: boolean };

/** Goes in a Field of the same id. */
export function Select({ id, invalid = false, className = "", children, ...rest }: SelectProps) {
  return (
    <span className="relative block">
      <select
        id={id}
        className={`${controlStyle} appearance-none pr-10 ${className}`}
        {...controlAria(id, invalid)}
        {...rest}
      >
        {children}
      </select>
      <svg
        viewBox="0 0 16 16"
        className="pointer-events-none absolute top-1/2 right-3.5 size-4 -translate-y-1/2 text-ink-soft"
        aria-hidden="true"
      >
        <path d="m3.5 6 4.5 4.5L12.5 6" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      </svg>
    </span>
  );
}
