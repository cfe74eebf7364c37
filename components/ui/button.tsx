import type { ComponentProps } from "react";
import { type ButtonSize, type ButtonVariant, buttonStyle } from "./button-style.ts";
import { Spinner } from "./spinner.tsx";

export type ButtonProps = ComponentProps<"button"> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Shows a spinner and announces "busy"; the button keeps its focus. */
  pending?: boolean;
};

/** Defaults to type "button", so it never submits a form by accident. */
export function Button({ variant, size, pending = false, className, children, type = "button", ...rest }: ButtonProps) {
  return (
    <button type={type} className={buttonStyle(variant, size, className)} aria-busy={pending || undefined} {...rest}>
      {pending ? <Spinner /> : null}
      {children}
    </button>
  );
}
