"use client";

import { type FormEvent, startTransition, useActionState, useMemo, useRef, useState } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { parseRoutineForm, type RoutineProblem } from "#lib/partner/routines/routine-form.ts";
import { type RoutineChoicesProps, RoutineFields, summaryOf } from "./routine-fields.tsx";
import { type Reviewed, RoutineReview } from "./routine-review.tsx";

/** Creates the routine and leads to its page; answers only with what stands in the way. */
export type PayAction = (previous: RoutineProblem | undefined, form: FormData) => Promise<RoutineProblem>;

/**
 * Fill in, review, confirm. What was typed stays in the fields through all of it, and so does the idempotency key: sent
 * twice, it is one payment.
 */
export function RoutineForm({
  accounts,
  sellers,
  idempotencyKey,
  pay,
}: RoutineChoicesProps & { idempotencyKey: string; pay: PayAction }) {
  const form = useRef<HTMLFormElement>(null);
  const [answer, run, isPending] = useActionState(pay, undefined);
  const [mistakes, setMistakes] = useState<RoutineProblem>();
  // What the server said stands until the next review.
  const [settledAnswer, setSettledAnswer] = useState<RoutineProblem>();
  const [reviewed, setReviewed] = useState<Reviewed>();
  const problem = mistakes ?? (answer === settledAnswer ? undefined : answer);
  const summary = useMemo(() => summaryOf(problem?.fields), [problem]);

  function review(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const filledIn = parseRoutineForm(new FormData(event.currentTarget), accounts);
    setSettledAnswer(answer);
    setMistakes(filledIn.kind === "problem" ? filledIn : undefined);
    if (filledIn.kind === "problem") return;
    const { sourceId, sellerUserId, amount, name } = filledIn.values;
    setReviewed({
      account: accounts.find(({ id }) => id === sourceId)?.label ?? "",
      seller: sellers.find(({ userId }) => userId === sellerUserId)?.name ?? "",
      amountCents: amount,
      name,
    });
  }

  function confirm(): void {
    if (isPending || !form.current) return;
    const filledIn = new FormData(form.current);
    startTransition(() => {
      run(filledIn);
      setReviewed(undefined);
    });
  }

  return (
    <form ref={form} action={run} onSubmit={review} noValidate className="flex flex-col gap-6">
      <ErrorSummary problems={summary} />
      {problem?.form ? <Alert tone="danger">{problem.form}</Alert> : null}
      {problem?.mustReconnect ? (
        <ButtonLink href="/business" variant="secondary" className="self-start">
          Go to the business
        </ButtonLink>
      ) : null}
      {problem?.routineId ? (
        <ButtonLink href={`/routines/${problem.routineId}`} variant="secondary" className="self-start">
          Look at that payment
        </ButtonLink>
      ) : null}
      <input type="hidden" name="idempotencyKey" value={idempotencyKey} />
      <RoutineFields accounts={accounts} sellers={sellers} problems={problem?.fields ?? {}} />
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
