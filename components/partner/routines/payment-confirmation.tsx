import { ConfirmationBox } from "./confirmation-box.tsx";

/** In the place of the review, which needs a script: without one, the operator says so that the payment was checked. */
export function PaymentConfirmation({ error }: { error: string | undefined }) {
  return (
    <div className="hidden noscript:block">
      <ConfirmationBox error={error}>
        I have checked this payment. The money moves as soon as I press Pay.
      </ConfirmationBox>
    </div>
  );
}
