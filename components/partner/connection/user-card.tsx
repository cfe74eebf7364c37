import { Card } from "#components/ui/card.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { UserRecord } from "#lib/contract/user.ts";
import { toneOfStatus, wordsOf } from "../status-words.ts";

/** The user record as `GET /v1/user` returned it, field by field, metadata included. */
export function UserCard({ title, user }: { title: string; user: UserRecord }) {
  const metadata = Object.entries(user.metadata ?? {});
  return (
    <Card title={title} description="What the service returns, as it is.">
      <DescriptionList
        items={[
          {
            term: "Status",
            details: <StatusBadge tone={toneOfStatus(user.status)}>{wordsOf(user.status)}</StatusBadge>,
          },
          { term: "Name", details: `${user.first_name} ${user.last_name}` },
          { term: "E-mail", details: user.email },
          { term: "Phone", details: user.phone },
          { term: "User id", details: <Copyable value={user.id} label="user id" /> },
          { term: "Kind of user", details: wordsOf(user.user_type) },
          { term: "Identity check", details: wordsOf(user.kyc_type) },
          { term: "Receive only", details: user.receive_only ? "Yes" : "No" },
          ...(user.rejection_reasons.length > 0
            ? [{ term: "Reasons", details: user.rejection_reasons.map(({ message }) => message).join(" ") }]
            : []),
        ]}
      />
      <h3 className="mt-8 mb-3 text-lg">Metadata</h3>
      {metadata.length === 0 ? (
        <p className="text-ink-soft">None was given.</p>
      ) : (
        <DescriptionList
          items={metadata.map(([key, value]) => ({
            term: <code className="font-mono text-sm break-all">{key}</code>,
            details: <span className="break-all">{value}</span>,
          }))}
        />
      )}
    </Card>
  );
}
