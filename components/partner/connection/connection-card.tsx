import { brandName } from "#brand/name.ts";
import { Card } from "#components/ui/card.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { Connection } from "#lib/partner/tokens/connection.ts";
import { ServiceName } from "../service-name.tsx";
import type { FormAction } from "../use-form-action.ts";
import { AuthorizeForm } from "./authorize-form.tsx";
import { DisconnectForm } from "./disconnect-form.tsx";

/** Whether Harbor may act for a user, and the two things to do about it. */
export function ConnectionCard({
  connection,
  authorize,
  disconnect,
  consequence,
}: {
  connection: Connection;
  authorize: FormAction;
  disconnect: FormAction;
  consequence: string;
}) {
  const isConnected = connection.kind === "connected";
  return (
    <Card
      title="Connection"
      description={
        <>
          Whether {brandName} may act at <ServiceName />.
        </>
      }
      actions={
        isConnected ? (
          <StatusBadge tone="success">Connected</StatusBadge>
        ) : (
          <StatusBadge tone="warning">Not connected</StatusBadge>
        )
      }
    >
      <div className="flex flex-wrap items-start gap-3">
        <AuthorizeForm action={authorize} label="Authorize again" variant="secondary" />
        <DisconnectForm action={disconnect} consequence={consequence} />
      </div>
    </Card>
  );
}
