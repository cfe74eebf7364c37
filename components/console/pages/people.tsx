import { Fold } from "#components/ui/disclosure.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { MessageList, UserIntentList, UserList, VisitList } from "#lib/contract/sandbox.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink, KnownId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet, PagePart, type PageProps } from "../console-page.tsx";
import { nextSteps } from "../next-steps.ts";
import { Paged } from "../paged.tsx";
import { type Column, RecordTable } from "../record-table.tsx";
import { WireStatus } from "../wire-status.tsx";

type PeopleProps = PageProps<{ intents: UserIntentList; users: UserList; visits: VisitList; texts: MessageList }>;

export function People({ intents, users, visits, texts, query, lastEvent }: PeopleProps) {
  const phone = query.get("phone");
  return (
    <ConsolePage
      title="People"
      description="The people your app has sent. Screening decides automatically, but you can decide here."
      lastEvent={lastEvent}
    >
      {phone ? <Texts phone={phone} texts={texts} /> : null}
      <ConsoleSection title="User intents" call={{ method: "GET", path: "/sandbox/user_intents" }}>
        <PagePart part={intents} path="/sandbox/user_intents">
          {({ user_intents }) =>
            user_intents.length === 0 ? (
              <NothingYet>No intents yet.</NothingYet>
            ) : (
              <Paged name="intents" records={user_intents} query={query} isCut={isFull(user_intents)}>
                {(shown) => (
                  <ul className="flex flex-col gap-3">
                    {shown.map((intent) => (
                      <Person
                        key={intent.id}
                        join={`intent:${intent.id}`}
                        person={intent}
                        path={`/sandbox/user_intents/${intent.id}/status`}
                        steps={nextSteps("userIntent", intent.status)}
                        becomes={intent.user_id ? `user:${intent.user_id}` : undefined}
                      />
                    ))}
                  </ul>
                )}
              </Paged>
            )
          }
        </PagePart>
      </ConsoleSection>
      <ConsoleSection title="Users" call={{ method: "GET", path: "/sandbox/users" }}>
        <PagePart part={users} path="/sandbox/users">
          {(data) => (
            <Paged name="users" records={data.users} query={query} isCut={isFull(data.users)}>
              {(shown) => (
                <ul className="flex flex-col gap-3">
                  {shown.map((user) => (
                    <Person
                      key={user.id}
                      join={`user:${user.id}`}
                      person={user}
                      path={`/sandbox/users/${user.id}/status`}
                      steps={nextSteps("user", user.status)}
                    />
                  ))}
                </ul>
              )}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>
      <ConsoleSection title="Visits" call={{ method: "GET", path: "/sandbox/visits" }}>
        <PagePart part={visits} path="/sandbox/visits">
          {(data) => (
            <Paged name="visits" records={data.visits} query={query} isCut={isFull(data.visits)}>
              {(shown) => (
                <RecordTable columns={visitColumns} records={shown} keyOf={({ id }) => id} none="No visits yet." />
              )}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

function isFull({ length }: readonly unknown[]): boolean {
  return length >= limits.pageSizeMax;
}

const visitColumns: Column<VisitList["visits"][number]>[] = [
  { name: "Opened", cell: ({ created_at }) => <ExactTime at={created_at} /> },
  { name: "Visit", cell: ({ id }) => <KnownId join={`visit:${id}`} /> },
  { name: "Status", cell: ({ status }) => <WireStatus status={status} /> },
  { name: "Page", cell: ({ step }) => step.replaceAll("_", " ") },
  {
    name: "Person",
    cell: ({ user_id, user_intent_id }) => <KnownId join={user_id ? `user:${user_id}` : `intent:${user_intent_id}`} />,
  },
];

function Texts({ phone, texts }: { phone: string; texts: MessageList | undefined }) {
  const path = `/sandbox/messages?phone=${encodeURIComponent(phone)}`;
  return (
    <ConsoleSection title={`Texts to ${phone}`} call={{ method: "GET", path }}>
      <PagePart part={texts} path={path}>
        {({ messages }) =>
          messages.length === 0 ? (
            <NothingYet>No texts yet.</NothingYet>
          ) : (
            <ol className="flex flex-col gap-2">
              {messages.map(({ id, text, sent_at }) => (
                <li key={id} className="border-l-2 border-line pl-4">
                  <p>{text}</p>
                  <p className="text-sm text-ink-soft">
                    <ExactTime at={sent_at} />
                  </p>
                </li>
              ))}
            </ol>
          )
        }
      </PagePart>
    </ConsoleSection>
  );
}

type PersonProps = {
  join: string;
  person: {
    first_name: string;
    last_name: string;
    phone: string;
    status: string;
    rejection_reasons: { code: string; message: string }[];
  };
  path: string;
  steps: string[];
  becomes?: string;
};

function Person({ join, person, path, steps, becomes }: PersonProps) {
  const name = `${person.first_name} ${person.last_name}`;
  return (
    <li className="flex flex-col gap-3 border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h3 className="font-semibold">{name}</h3>
        <WireStatus status={person.status} />
        <span className="text-sm sm:ml-auto">
          <ConsoleLink href={`/console/people?phone=${encodeURIComponent(person.phone)}`}>
            Texts<span className="sr-only"> to {name}</span>
          </ConsoleLink>
        </span>
      </div>
      <p className="text-sm">
        <KnownId join={join} />
        {becomes ? (
          <>
            {" "}
            became user <KnownId join={becomes} />
          </>
        ) : null}
      </p>
      {person.rejection_reasons.map(({ code, message }) => (
        <p key={code} className="text-sm">
          <code className="font-mono text-xs">{code}</code>: {message}
        </p>
      ))}
      {steps.length > 0 ? (
        <Fold title="Decide" about={name}>
          <CallForm
            call={{ method: "POST", path }}
            fields={[
              {
                name: "status",
                label: "New status",
                kind: "choice",
                choices: steps.map((step) => [step, step] as const),
                initial: steps[0] ?? "",
              },
              ...(steps.includes("rejected") ? reasonFields : []),
            ]}
            button="Decide"
            about={name}
          />
        </Fold>
      ) : (
        <p className="text-sm text-ink-soft">This status is final here.</p>
      )}
    </li>
  );
}

const onlyWith = { name: "status", value: "rejected" };
const reasonFields = [
  { name: "rejection_reasons.0.code", label: "Reason code", kind: "text", isOptional: true, onlyWith },
  { name: "rejection_reasons.0.message", label: "Reason", kind: "text", isOptional: true, onlyWith },
] as const;
