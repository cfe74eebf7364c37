import type { ComponentProps } from "react";
import { type ButtonSize, type ButtonVariant, buttonStyle } from "./button-style.ts";
import { Spinner } from "./spinner.tsx";

export type ButtonProps = ComponentProps<"button"> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Shows a spinner and says "busy"; the button keeps the focus and its place. */
  pending?: boolean;
};

/** A button; of type "button" unless told otherwise, so that none submits a form by accident. */
export function Button({ variant, size, pending = false, className, children, type = "button", ...rest }: ButtonProps) {
  return (
    <button type={type} className={buttonStyle(variant, size, className)} aria-busy={pending || undefined} {...rest}>
      {pending ? <Spinner /> : null}
      {children}
    </button>
  );
}
