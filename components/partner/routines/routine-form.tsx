"use client";

import { type FormEvent, startTransition, useActionState, useRef, useState } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import type { RoutineField } from "#lib/partner/routines/routine-form.ts";
import type { RoutineProblem } from "#lib/partner/routines/routine-problem.ts";
import { type RoutineChoicesProps, RoutineFields } from "./routine-fields.tsx";
import { type Reviewed, RoutineReview } from "./routine-review.tsx";

/** Creates the routine and leads to its page; answers only with what stands in the way. */
export type PayAction = (previous: RoutineProblem | undefined, form: FormData) => Promise<RoutineProblem>;

/**
 * Fill in, review, confirm. What was typed stays in the fields through all of it, and so does the idempotency key: sent
 * twice, it is one payment. Without JavaScript the form is sent right away.
 */
export function RoutineForm({
  accounts,
  sellers,
  idempotencyKey,
  pay,
}: RoutineChoicesProps & { idempotencyKey: string; pay: PayAction }) {
  const form = useRef<HTMLFormElement>(null);
  const [problem, run, isPending] = useActionState(pay, undefined);
  const [reviewed, setReviewed] = useState<Reviewed>();

  function review(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const account = accounts.find(({ id }) => id === typed.get("sourceId"));
    const seller = sellers.find(({ userId }) => userId === typed.get("sellerUserId"));
    setReviewed({
      account: account?.label ?? "",
      seller: seller?.name ?? "",
      amount: String(typed.get("amount")),
      name: String(typed.get("name")),
    });
  }

  function confirm(): void {
    if (isPending || !form.current) return;
    const typed = new FormData(form.current);
    startTransition(() => {
      run(typed);
      setReviewed(undefined);
    });
  }

  const problems = Object.entries(problem?.fields ?? {}).map(([field, message]) => ({ field, message }));
  return (
    <form ref={form} action={run} onSubmit={review} className="flex flex-col gap-6">
      <ErrorSummary problems={problems} />
      {problem?.form ? (
        <Alert tone="danger">
          {problem.form} {problem.mustReconnect ? <a href="/business">Go to the business</a> : null}
        </Alert>
      ) : null}
      <input type="hidden" name="idempotencyKey" value={idempotencyKey} />
      <RoutineFields accounts={accounts} sellers={sellers} errorOf={(field: RoutineField) => problem?.fields[field]} />
      <Button type="submit" size="lg" className="self-start">
        Review
      </Button>
      <RoutineReview
        reviewed={reviewed}
        isPending={isPending}
        onClose={() => setReviewed(undefined)}
        onConfirm={confirm}
      />
    </form>
  );
}
