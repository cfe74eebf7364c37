import type { User } from "#client";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { formatPhone } from "#lib/kit/us-phone.ts";
import type { Connection } from "#lib/partner/connections/read-connected-user.ts";
import { ServiceName } from "../service-name.tsx";
import { toneOfStatus, wordsOf } from "../status-words.ts";

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
  if (connection.kind !== "connected") return <p className="text-ink-soft">No tokens.</p>;
  return (
    <DescriptionList
      items={[
        { term: "Access token ends", details: <RelativeTime at={connection.accessTokenExpiresAt} /> },
        { term: "Refresh token ends", details: <RelativeTime at={connection.refreshTokenExpiresAt} /> },
        { term: "Issued", details: <RelativeTime at={connection.issuedAt} /> },
      ]}
    />
  );
}

export function UserRecord({ title, user }: { title: string; user: User }) {
  const reasons = user.rejection_reasons ?? [];
  const metadata = Object.entries(user.metadata ?? {});
  return (
    <div>
      <h3 className="mb-3 text-lg">
        {title} at <ServiceName />
      </h3>
      <DescriptionList
        items={[
          {
            term: "Status",
            details: <StatusBadge tone={toneOfStatus(user.status)}>{wordsOf(user.status)}</StatusBadge>,
          },
          { term: "Name", details: `${user.first_name} ${user.last_name}` },
          { term: "Email", details: user.email },
          { term: "Phone", details: formatPhone(user.phone) },
          { term: "User id", details: <Copyable value={user.id} label="user id" /> },
          { term: "Kind of user", details: wordsOf(user.user_type) },
          { term: "Identity check", details: wordsOf(user.kyc_type) },
          { term: "Receive only", details: yesOrNo(user.receive_only) },
          ...(reasons.length > 0
            ? [{ term: "Reasons", details: reasons.map(({ message }) => message).join(" ") }]
            : []),
        ]}
      />
      <h3 className="mt-8 mb-3 text-lg">Metadata</h3>
      {metadata.length === 0 ? (
        <p className="text-ink-soft">No metadata.</p>
      ) : (
        <DescriptionList
          items={metadata.map(([key, value]) => ({
            term: <code className="font-mono text-sm break-all">{key}</code>,
            details: <span className="break-all text-balance">{value}</span>,
          }))}
        />
      )}
    </div>
  );
}

function yesOrNo(value: boolean | undefined): string {
  if (value === undefined) return "Unknown";
  return value ? "Yes" : "No";
}
