"use client";

import type { MouseEvent } from "react";
import { useFormStatus } from "react-dom";
import { Button, type ButtonProps } from "./button.tsx";

export type SubmitButtonProps = Omit<ButtonProps, "type" | "pending"> & {
  /** What the button says while its form is on the way. */
  pendingLabel?: string;
};

/** Submits its form once: while that is under way it keeps the focus, says so and ignores further presses. */
export function SubmitButton({ pendingLabel, children, onClick, name, value, ...rest }: SubmitButtonProps) {
  const { pending, data } = useFormStatus();
  // Of several named submit buttons, only the pressed one speaks.
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
