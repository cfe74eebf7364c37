"use client";

import { Button } from "#components/ui/button.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Money } from "#components/ui/money.tsx";

/** What is about to happen, in the operator's own words. */
export type Reviewed = { account: string; seller: string; amountCents: number; name: string };

/** The last look before money moves. */
export function PaymentReview({
  reviewed,
  isPending,
  onClose,
  onConfirm,
}: {
  reviewed: Reviewed | undefined;
  isPending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  return (
    <Dialog
      open={reviewed !== undefined}
      onClose={onClose}
      title="Review the payment"
      description="The money moves as soon as you confirm."
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            Change
          </Button>
          <Button onClick={onConfirm} pending={isPending}>
            Confirm and pay
          </Button>
        </>
      }
    >
      {reviewed ? (
        <DescriptionList
          items={[
            { term: "From", details: reviewed.account },
            { term: "To", details: reviewed.seller },
            { term: "Amount", details: <Money cents={reviewed.amountCents} /> },
            { term: "For", details: reviewed.name },
          ]}
        />
      ) : null}
    </Dialog>
  );
}
