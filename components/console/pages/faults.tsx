import { StatusBadge } from "#components/ui/status-badge.tsx";
import { type FaultList, foreignParts, redirectBack } from "#lib/contract/sandbox-faults.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet, PagePart, type PageProps } from "../console-page.tsx";

/** From the OpenAPI document. */
type FaultChoices = { operations: readonly string[]; statuses: readonly number[] };

/** Faults for the next API calls: refused, delayed, or disconnected before or after processing. */
export function Faults({ faults, choices, lastEvent }: PageProps<{ faults: FaultList; choices: FaultChoices }>) {
  return (
    <ConsolePage
      title="Faults"
      description="A fault affects this client’s next calls, exactly as many as you set. A new fault for the same operation replaces the old one."
      lastEvent={lastEvent}
    >
      <ConsoleSection title="Active faults" call={{ method: "GET", path: "/sandbox/faults" }}>
        <PagePart part={faults} path="/sandbox/faults">
          {(data) =>
            data.faults.length === 0 ? (
              <NothingYet>No faults set. Every call works normally.</NothingYet>
            ) : (
              <>
                <ul className="flex flex-col gap-2">
                  {data.faults.map((fault) => (
                    <li key={fault.operation} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                      <code className="font-mono text-sm font-semibold">{fault.operation}</code>
                      <StatusBadge tone="warning">{describeFault(fault)}</StatusBadge>
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
          Set webhook faults on the <ConsoleLink href="/console/webhooks">Webhooks page</ConsoleLink>.
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
    choices: operations.filter((name) => name !== redirectBack).map((name) => [name, name] as const),
    initial: operations[0] ?? "",
  } as const;
  const times = { name: "times", label: "Number of calls", kind: "number", initial: "1" } as const;
  const latency = { name: "latency_ms", label: "Delay in ms", kind: "number", isOptional: true } as const;
  const call = { method: "PUT", path: "/sandbox/faults" } as const;
  return (
    <>
      <ConsoleSection title="Refuse" description="The call returns this status and changes nothing.">
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
          button="Refuse calls"
        />
      </ConsoleSection>
      <ConsoleSection
        title="Cut the connection"
        description="The connection drops without an answer. Before processing, nothing happens; after it, everything does, and only a retry with the same key can tell."
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
                ["before", "before processing"],
                ["after", "after processing"],
              ],
              initial: "after",
            },
            latency,
            times,
          ]}
          button="Cut connections"
        />
      </ConsoleSection>
      <ConsoleSection title="Slow down" description="The call is delayed, then works normally.">
        <CallForm
          call={call}
          fields={[operation, { ...latency, label: "Delay in ms", initial: "3000", isOptional: false }, times]}
          button="Delay calls"
        />
      </ConsoleSection>
      <ConsoleSection
        title="Break the redirect back"
        description="The next people who authorize return with a value that isn’t from their visit. An app that checks it refuses."
      >
        <CallForm
          call={call}
          fields={[
            {
              name: "operation",
              label: "Operation",
              kind: "choice",
              choices: [[redirectBack, redirectBack]],
              initial: redirectBack,
            },
            {
              name: "foreign",
              label: "Wrong value",
              kind: "choice",
              choices: foreignParts.map((part) => [part, `another ${part}`] as const),
              initial: foreignParts[0],
            },
            { ...times, label: "Number of redirects" },
          ]}
          button="Break redirects"
        />
      </ConsoleSection>
    </>
  );
}

function describeFault({ status, cut, foreign, latency_ms }: FaultList["faults"][number]): string {
  return [
    ...(latency_ms > 0 ? [`delayed ${latency_ms} ms`] : []),
    ...(status === null ? [] : [`returns ${status}`]),
    ...(cut === null ? [] : [`cut ${cut} processing`]),
    ...(foreign === null ? [] : [`returns another ${foreign}`]),
  ].join(", ");
}
