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

/** Part of a bar's panel. */
export function ToolSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col items-start gap-2.5 text-sm">
      <h2 className="font-mono text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}
