import { Card } from "#components/ui/card.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { Connection } from "#lib/partner/tokens/connection.ts";
import type { FormAction } from "../use-form-action.ts";
import { AuthorizeForm } from "./authorize-form.tsx";
import { DisconnectForm } from "./disconnect-form.tsx";

/** How long Harbor may act for a user, and the two things to do about it. */
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
    <Card title="Connection" description="Until when Harbor may act at Plainbook.">
      <DescriptionList
        items={[
          {
            term: "Health",
            details: isConnected ? (
              <StatusBadge tone="success">Connected</StatusBadge>
            ) : (
              <StatusBadge tone="warning">Not connected</StatusBadge>
            ),
          },
          ...(isConnected
            ? [
                {
                  term: "Access token ends",
                  details: <RelativeTime at={connection.accessTokenExpiresAt.toISOString()} />,
                },
                {
                  term: "Refresh token ends",
                  details: <RelativeTime at={connection.refreshTokenExpiresAt.toISOString()} />,
                },
                { term: "Both issued", details: <RelativeTime at={connection.issuedAt.toISOString()} /> },
              ]
            : []),
        ]}
      />
      <div className="mt-6 flex flex-wrap items-start gap-3">
        <AuthorizeForm action={authorize} label="Authorize again" variant="secondary" />
        <DisconnectForm action={disconnect} consequence={consequence} />
      </div>
    </Card>
  );
}
