"use client";

import { Button } from "#components/ui/button.tsx";
import { ResendWait } from "#components/ui/resend-wait.tsx";
import type { ResendPause } from "#lib/partner/people/challenge.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";

/** A new text for whom none came, and how long until one may be asked for. */
export function ResendForm({ action, wait }: { action: FormAction; wait: ResendPause }) {
  const { state, errorOf, isPending, run } = useFormAction(action);
  return (
    <form action={run} className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-5">
      <Button type="submit" variant="secondary" pending={isPending}>
        Resend code
      </Button>
      <ResendWait key={wait.codeSentAt} seconds={wait.secondsLeft} />
      <p role="status" className="w-full text-ink-soft">
        {state.news ?? errorOf("form")}
      </p>
    </form>
  );
}
