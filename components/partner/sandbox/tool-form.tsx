"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";
import { ActionForm } from "../action-form.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

type ToolFormProps = { action: FormAction; onDone?: () => void; children: ReactNode };

export function ToolForm({ action, onDone, children }: ToolFormProps) {
  const { state, errorOf, run } = useFormAction(action);
  const trouble = errorOf("form");
  const router = useRouter();
  const { notice } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per answer
  useEffect(() => {
    if (state.notice === undefined && state.problems.length === 0) return;
    router.refresh();
    onDone?.();
  }, [state]);
  return (
    <ActionForm action={run} className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap gap-2">{children}</div>
      <p role="status" className={`empty:absolute ${trouble ? "text-danger" : "text-success"}`}>
        {trouble ?? notice}
      </p>
    </ActionForm>
  );
}
