import { Alert } from "#components/ui/alert.tsx";
import { ServiceName } from "../service-name.tsx";

/** Above what is no longer certain to be so. */
export function LastKnown({ isShown }: { isShown: boolean }) {
  if (!isShown) return null;
  return (
    <Alert tone="warning" title="This is the last that is known">
      <ServiceName /> does not tell more just now. This page keeps asking.
    </Alert>
  );
}
