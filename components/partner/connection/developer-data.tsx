import type { User } from "#client";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { Connection } from "#lib/partner/tokens/connection.ts";
import { UserRecord } from "./user-record.tsx";

/** What a developer wants to see and nobody else: the record as the service returns it, and how long the tokens live. */
export function DeveloperData({ title, user, connection }: { title: string; user: User; connection: Connection }) {
  return (
    <Disclosure title="Developer data">
      <div className="grid gap-10 lg:grid-cols-2">
        <UserRecord title={title} user={user} />
        <div>
          <h3 className="mb-3 text-lg">Tokens</h3>
          <Tokens connection={connection} />
        </div>
      </div>
    </Disclosure>
  );
}

function Tokens({ connection }: { connection: Connection }) {
  if (connection.kind !== "connected") return <p className="text-ink-soft">There are none.</p>;
  return (
    <DescriptionList
      items={[
        { term: "Access token ends", details: <RelativeTime at={connection.accessTokenExpiresAt} /> },
        { term: "Refresh token ends", details: <RelativeTime at={connection.refreshTokenExpiresAt} /> },
        { term: "Both issued", details: <RelativeTime at={connection.issuedAt} /> },
      ]}
    />
  );
}
