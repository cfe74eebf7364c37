import type { User } from "#client";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { formatPhone } from "#lib/kit/us-phone.ts";
import type { Connection } from "#lib/partner/connections/connected-users.ts";
import { useWords } from "#use-words";
import { toneOfStatus, useStatusWords } from "../status-words.ts";

type Owner = "yours" | "business";
type DeveloperDataProps = { of: Owner; user: User; connection: Connection };

export function DeveloperData({ of, user, connection }: DeveloperDataProps) {
  const t = useWords("connection.record");
  return (
    <Disclosure title={t("title")}>
      <div className="grid gap-10 lg:grid-cols-2">
        <UserRecord of={of} user={user} />
        <div>
          <h3 className="mb-3 text-lg">{t("tokens")}</h3>
          <Tokens connection={connection} />
        </div>
      </div>
    </Disclosure>
  );
}

function Tokens({ connection }: { connection: Connection }) {
  const t = useWords("connection.record");
  if (connection.kind !== "connected") return <p className="text-ink-soft">{t("noTokens")}</p>;
  return (
    <DescriptionList
      items={[
        { term: t("accessTokenEnds"), details: <RelativeTime at={connection.accessTokenExpiresAt} /> },
        { term: t("refreshTokenEnds"), details: <RelativeTime at={connection.refreshTokenExpiresAt} /> },
        { term: t("issued"), details: <RelativeTime at={connection.issuedAt} /> },
      ]}
    />
  );
}

export function UserRecord({ of, user }: { of: Owner; user: User }) {
  const t = useWords("connection.record");
  const wordsOf = useStatusWords();
  const reasons = user.rejection_reasons ?? [];
  const metadata = Object.entries(user.metadata ?? {});
  return (
    <div>
      <h3 className="mb-3 text-lg">{t(of)}</h3>
      <DescriptionList
        items={[
          {
            term: t("status"),
            details: <StatusBadge tone={toneOfStatus(user.status)}>{wordsOf(user.status)}</StatusBadge>,
          },
          { term: t("name"), details: `${user.first_name} ${user.last_name}` },
          { term: t("email"), details: user.email },
          { term: t("phone"), details: formatPhone(user.phone) },
          { term: t("userId"), details: <Copyable value={user.id} label={t("userId")} /> },
          { term: t("userType"), details: wordsOf(user.user_type) },
          { term: t("kycType"), details: wordsOf(user.kyc_type) },
          {
            term: t("receiveOnly"),
            details: t(user.receive_only === undefined ? "unknown" : user.receive_only ? "yes" : "no"),
          },
          ...(reasons.length > 0
            ? [
                {
                  term: t("reasons"),
                  // The service's own words, in English.
                  details: <span lang="en">{reasons.map(({ message }) => message).join(" ")}</span>,
                },
              ]
            : []),
        ]}
      />
      <h3 className="mt-8 mb-3 text-lg">{t("metadata")}</h3>
      {metadata.length === 0 ? (
        <p className="text-ink-soft">{t("noMetadata")}</p>
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
