"use client";

import type { ReactNode } from "react";
import { useFormStatus } from "react-dom";
import { toolButton } from "./tool-style.ts";

type ToolButtonProps = { name?: string; value?: string; children: ReactNode };

/** A sandbox tool's submit button; ignores clicks while pending. */
export function ToolButton({ name, value, children }: ToolButtonProps) {
  const { pending } = useFormStatus();
  return (
    <button
      type="submit"
      name={name}
      value={value}
      aria-disabled={pending || undefined}
      onClick={(event) => pending && event.preventDefault()}
      className={toolButton}
    >
      {children}
    </button>
  );
}
