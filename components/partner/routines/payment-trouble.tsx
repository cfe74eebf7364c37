import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import type { FormState } from "#lib/partner/requests/form-state.ts";

/** What no field can mend, and where it is dealt with. What is not known yet is told as the payment's own page tells it. */
export function PaymentTrouble({ problems, isUnknown = false, link }: FormState) {
  const trouble = problems.find(({ field }) => field === "form")?.message;
  return (
    <>
      {trouble && isUnknown ? (
        <Alert tone="warning" title="We do not know yet whether this was paid">
          {trouble}
        </Alert>
      ) : null}
      {trouble && !isUnknown ? <Alert tone="danger">{trouble}</Alert> : null}
      {link ? (
        <ButtonLink href={link.href} variant="secondary" className="self-start">
          {link.label}
        </ButtonLink>
      ) : null}
    </>
  );
}
