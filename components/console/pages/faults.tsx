import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { FaultList } from "#lib/contract/sandbox-faults.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet } from "../console-page.tsx";
import { PagePart } from "../page-part.tsx";

type FaultChoices = { operations: readonly string[]; statuses: readonly number[] };

type FaultsProps = {
  faults: FaultList | undefined;
  /** Which calls can go wrong, and how, as the OpenAPI document says. */
  choices: FaultChoices | undefined;
  lastEvent: string | undefined;
};

/** What the next calls of the API are to suffer: refused, slow, or their connection cut before or after the work. */
export function Faults({ faults, choices, lastEvent }: FaultsProps) {
  return (
    <ConsolePage
      title="Faults"
      says="What you choose happens to exactly as many calls of this client as you say, and always to the next ones. A second fault of the same operation takes the place of the first."
      lastEvent={lastEvent}
    >
      <ConsoleSection title="What is to go wrong" call={{ method: "GET", path: "/sandbox/faults" }}>
        <PagePart part={faults} path="/sandbox/faults">
          {(data) =>
            data.faults.length === 0 ? (
              <NothingYet>Nothing: every call goes its ordinary way.</NothingYet>
            ) : (
              <>
                <ul className="flex flex-col gap-2">
                  {data.faults.map((fault) => (
                    <li key={fault.operation} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                      <code className="font-mono text-sm font-semibold">{fault.operation}</code>
                      <StatusBadge tone="warning">{wordsOf(fault)}</StatusBadge>
                      <span className="text-sm text-ink-soft">
                        the next {fault.times === 1 ? "call" : `${fault.times} calls`}
                      </span>
                    </li>
                  ))}
                </ul>
                <CallForm call={{ method: "DELETE", path: "/sandbox/faults" }} button="Remove all" />
              </>
            )
          }
        </PagePart>
        <p className="text-sm text-ink-soft">
          Webhooks are broken on <ConsoleLink href="/console/webhooks">their own page</ConsoleLink>.
        </p>
      </ConsoleSection>
      <PagePart part={choices} path="/openapi.json">
        {(data) => <FaultForms {...data} />}
      </PagePart>
    </ConsolePage>
  );
}

function FaultForms({ operations, statuses }: FaultChoices) {
  const operation = {
    name: "operation",
    label: "Operation",
    kind: "choice",
    choices: operations.map((name) => [name, name] as const),
    initial: operations[0] ?? "",
  } as const;
  const times = { name: "times", label: "How many calls", kind: "number", initial: "1" } as const;
  const latency = { name: "latency_ms", label: "Wait first, in ms", kind: "number", isOptional: true } as const;
  const call = { method: "PUT", path: "/sandbox/faults" } as const;
  return (
    <>
      <ConsoleSection title="Refuse" says="The call is answered with this status, and has done nothing.">
        <CallForm
          call={call}
          fields={[
            operation,
            {
              name: "status",
              label: "Status",
              kind: "number",
              choices: statuses.map((status) => [String(status), String(status)] as const),
              initial: statuses.includes(503) ? "503" : String(statuses[0] ?? ""),
            },
            latency,
            times,
          ]}
          button="Refuse them"
        />
      </ConsoleSection>
      <ConsoleSection
        title="Cut the connection"
        says="No answer comes. Before the work, nothing was done; after it, everything was, and only a second try with the same key can tell."
      >
        <CallForm
          call={call}
          fields={[
            operation,
            {
              name: "cut",
              label: "When",
              kind: "choice",
              choices: [
                ["before", "before the work"],
                ["after", "after the work"],
              ],
              initial: "after",
            },
            latency,
            times,
          ]}
          button="Cut them"
        />
      </ConsoleSection>
      <ConsoleSection title="Slow down" says="The call waits, and then goes its ordinary way.">
        <CallForm
          call={call}
          fields={[operation, { ...latency, label: "Wait, in ms", initial: "3000", isOptional: false }, times]}
          button="Slow them down"
        />
      </ConsoleSection>
    </>
  );
}

function wordsOf({ status, cut, latency_ms }: FaultList["faults"][number]): string {
  return [
    ...(latency_ms > 0 ? [`waits ${latency_ms} ms`] : []),
    ...(status === null ? [] : [`answers ${status}`]),
    ...(cut === null ? [] : [`cut ${cut} the work`]),
  ].join(", ");
}
