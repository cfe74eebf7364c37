import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { ServiceName } from "../service-name.tsx";

/** What a seller can do about a payout that did not arrive. */
export function FailedPayoutHelp() {
  return (
    <div className="mt-5">
      <Alert tone="info" title="A payout did not arrive">
        The money is back with {brandName}, which can pay it again. See above whether your account is open. If it is
        not, ask <ServiceName /> to open it, then authorize {brandName} again on this page, so that we know your account
        as it is now.
      </Alert>
    </div>
  );
}
