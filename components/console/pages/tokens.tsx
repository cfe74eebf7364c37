import { ExactTime } from "#components/ui/exact-time.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { TokenList, UserList } from "#lib/contract/sandbox.ts";
import { CallForm } from "../calls/call-form.tsx";
import { KnownId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet, NotRead, PagePart, type PageProps } from "../console-page.tsx";
import { Countdown } from "../countdown.tsx";
import { Paged } from "../paged.tsx";
import { type Column, RecordTable } from "../record-table.tsx";
import { WireStatus } from "../wire-status.tsx";

const call = { method: "GET", path: "/sandbox/tokens" } as const;

export function Tokens({ tokens, users, query, lastEvent }: PageProps<{ tokens: TokenList; users: UserList }>) {
  return (
    <ConsolePage
      title="Tokens"
      description="Tokens the service issued, shown as the same fingerprints as in the timeline. Lifetimes follow this client’s clock."
      lastEvent={lastEvent}
    >
      {users ? null : <NotRead path="/sandbox/users" />}
      <PagePart part={tokens} path={call.path}>
        {({ now, tokens: issued }) => (
          <Paged name="tokens" records={issued} query={query} isCut={isCut(issued)}>
            {(shown) => <Issued now={now} tokens={shown} users={users} />}
          </Paged>
        )}
      </PagePart>
    </ConsolePage>
  );
}

/** Each kind has its own limit. */
function isCut(issued: readonly Token[]): boolean {
  const kinds = Map.groupBy(issued, ({ kind }) => kind);
  return [...kinds.values()].some(({ length }) => length >= limits.pageSizeMax);
}

type Token = TokenList["tokens"][number];
type IssuedProps = { now: string; tokens: readonly Token[]; users: UserList | undefined };

function Issued({ now, tokens, users }: IssuedProps) {
  if (tokens.length === 0) {
    return (
      <ConsoleSection title="Tokens and codes" call={call}>
        <NothingYet>No tokens yet. They appear when a person starts to authorize.</NothingYet>
      </ConsoleSection>
    );
  }
  const ofUser = Map.groupBy(tokens, ({ user_id }) => user_id);
  const sections = [...ofUser].map(([userId, issued], index) => {
    const user = users?.users.find(({ id }) => id === userId);
    const name = user ? `${user.first_name} ${user.last_name}` : (userId ?? "Not users yet");
    return (
      <ConsoleSection key={userId} title={name} label={`${name} ${userId ?? ""}`} {...(index === 0 && { call })}>
        {userId === null ? null : (
          <>
            <p className="text-sm">
              <KnownId join={`user:${userId}`} />
            </p>
            <TokenActions name={name} path={`/sandbox/users/${userId}/tokens`} />
          </>
        )}
        <RecordTable columns={columnsAt(now)} records={issued} keyOf={({ token }) => token} none="None." />
      </ConsoleSection>
    );
  });
  return <div className="flex flex-col gap-8">{sections}</div>;
}

const columnsAt = (now: string): Column<Token>[] => [
  { name: "Issued", cell: ({ created_at }) => <ExactTime at={created_at} /> },
  { name: "Kind", cell: ({ kind }) => kind.replaceAll("_", " ") },
  { name: "Fingerprint", cell: ({ token }) => <KnownId join={`token:${token}`} /> },
  { name: "State", cell: ({ state }) => <WireStatus status={state} /> },
  {
    name: "Expires in",
    align: "right",
    cell: ({ state, expires_at }) => (state === "live" ? <Countdown until={expires_at} now={now} /> : "not live"),
  },
];

function TokenActions({ name, path }: { name: string; path: string }) {
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-3">
      <CallForm
        call={{ method: "POST", path: `${path}/expire`, body: { kind: "access_token" } }}
        button="Expire access token"
        about={name}
      />
      <CallForm
        call={{ method: "POST", path: `${path}/expire`, body: { kind: "refresh_token" } }}
        button="Expire refresh tokens"
        about={name}
      />
      <CallForm call={{ method: "POST", path: `${path}/revoke` }} button="Revoke all" about={name} variant="danger" />
    </div>
  );
}
