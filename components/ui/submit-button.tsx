"use client";

import type { MouseEvent } from "react";
import { useFormStatus } from "react-dom";
import { Button, type ButtonProps } from "./button.tsx";

export type SubmitButtonProps = Omit<ButtonProps, "type" | "pending" | "aria-disabled"> & {
  "aria-disabled"?: boolean;
  /** The label while the form is submitting. */
  pendingLabel?: string;
};

/** Shows that it is pending, keeps the focus, and ignores clicks while pending or `aria-disabled`. */
export function SubmitButton({
  pendingLabel,
  children,
  onClick,
  name,
  value,
  "aria-disabled": isDisabled = false,
  ...rest
}: SubmitButtonProps) {
  const { pending, data } = useFormStatus();
  // With several named submit buttons, only the clicked one shows it.
  const isPressed = pending && (name === undefined || data?.get(name) === String(value ?? ""));

  function handleClick(event: MouseEvent<HTMLButtonElement>) {
    if (pending || isDisabled) event.preventDefault();
    else onClick?.(event);
  }

  return (
    <Button
      {...rest}
      type="submit"
      name={name}
      value={value}
      pending={isPressed}
      aria-disabled={pending || isDisabled || undefined}
      onClick={handleClick}
    >
      {isPressed && pendingLabel !== undefined ? pendingLabel : children}
    </Button>
  );
}
