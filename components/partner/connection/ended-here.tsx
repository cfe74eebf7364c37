import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { ServiceName } from "../service-name.tsx";

/**
 * What to know after disconnecting from a service that cannot end an authorization. It hangs on the page's address: the form
 * that was sent is gone as soon as the page hears that nobody is connected.
 */
export function EndedHere() {
  return (
    <Alert tone="warning" title={`${brandName} has deleted its access`}>
      <ServiceName /> cannot end it right away. It ends by itself after ten days at most, or when you ask{" "}
      <ServiceName />.
    </Alert>
  );
}
