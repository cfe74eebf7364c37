import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { ServiceName } from "../service-name.tsx";

/** What a seller can do about a payout that did not arrive. */
export function FailedPayoutHelp() {
  return (
    <div className="mt-5">
      <Alert tone="info" title="A payment didn't arrive">
        The money went back to {brandName}, which can pay you again. Check above that your account is open. If it isn't,
        ask <ServiceName /> to reopen it, then authorize {brandName} again on this page.
      </Alert>
    </div>
  );
}
