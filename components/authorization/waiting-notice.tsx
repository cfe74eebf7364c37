import { Alert } from "#components/ui/alert.tsx";

/** Says on the consent page that what the person sent in is still being checked. */
export function WaitingNotice() {
  return (
    <div className="mt-5">
      <Alert tone="success" title="We received your details and are checking them">
        You do not have to wait for that here.
      </Alert>
    </div>
  );
}
