"use client";

import type { MouseEvent } from "react";
import { useFormStatus } from "react-dom";
import { Button, type ButtonProps } from "./button.tsx";

export type SubmitButtonProps = Omit<ButtonProps, "type" | "pending"> & {
  /** The label while the form is submitting. */
  pendingLabel?: string;
};

/** Shows its pending state, keeps the focus, and ignores further clicks. */
export function SubmitButton({ pendingLabel, children, onClick, name, value, ...rest }: SubmitButtonProps) {
  const { pending, data } = useFormStatus();
  // Of several named submit buttons, only the clicked one shows it.
  const isPressed = pending && (name === undefined || data?.get(name) === String(value ?? ""));

  function handleClick(event: MouseEvent<HTMLButtonElement>) {
    if (pending) event.preventDefault();
    else onClick?.(event);
  }

  return (
    <Button
      {...rest}
      type="submit"
      name={name}
      value={value}
      pending={isPressed}
      aria-disabled={pending || undefined}
      onClick={handleClick}
    >
      {isPressed && pendingLabel !== undefined ? pendingLabel : children}
    </Button>
  );
}
