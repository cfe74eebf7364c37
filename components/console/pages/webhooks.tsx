import { DescriptionList } from "#components/ui/description-list.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { DeliveryEvent } from "#lib/contract/sandbox-events.ts";
import type { DeliveryList, DeliveryRecord } from "#lib/contract/sandbox-webhooks.ts";
import { webhookFaultKinds } from "#lib/contract/webhooks.ts";
import { CallForm } from "../calls/call-form.tsx";
import { KnownId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet, PagePart, type PageProps } from "../console-page.tsx";
import { Paged } from "../paged.tsx";
import { StatusCode, WireStatus } from "../wire-status.tsx";
import { endpointHealth } from "./endpoint-health.ts";
import { HealthChart } from "./health-chart.tsx";

const faultWords: Record<(typeof webhookFaultKinds)[number], string> = {
  drop: "drop: not sent",
  delay: "delay: sent late",
  duplicate: "duplicate: sent twice",
  reorder: "reorder: sent after the next one",
  withhold: "withhold: held until the fault is removed, an hour at most",
  tamper: "tamper: altered body",
  stale: "stale: old timestamp",
  unknown_type: "unknown_type: an undocumented type",
  reformatted: "reformatted: the same JSON in other bytes",
  old_secret: "old_secret: signed only with the old secret",
};

/** `now` is the page's render time, in milliseconds. */
type WebhooksProps = PageProps<{ list: DeliveryList; answers: DeliveryEvent[] }> & { now: number };

type Endpoint = DeliveryList["endpoint"];

const listPath = "/sandbox/webhooks";
export const answersPath = "/sandbox/events?kind=delivery&limit=1000";

export function Webhooks({ list, answers, now, query, lastEvent }: WebhooksProps) {
  return (
    <ConsolePage
      title="Webhooks"
      description="The webhooks the service sent, with each attempt and your receiver’s response."
      lastEvent={lastEvent}
    >
      <ConsoleSection title="Endpoint" call={{ method: "GET", path: listPath }}>
        <PagePart part={list} path={listPath}>
          {({ endpoint }) => <EndpointSettings endpoint={endpoint} />}
        </PagePart>
        <div className="mt-4 grid gap-6 md:grid-cols-2">
          {list ? <UrlForm url={list.endpoint.url} /> : null}
          {/* Stays without the list: nothing else shows the new secret again. */}
          <SecretForm />
        </div>
      </ConsoleSection>

      <ConsoleSection title="Health" call={{ method: "GET", path: answersPath }}>
        <PagePart part={answers} path={answersPath}>
          {(attempts) => <HealthChart health={endpointHealth(attempts, now)} />}
        </PagePart>
      </ConsoleSection>

      <ConsoleSection
        title="Recover"
        description="After your receiver was down, send every webhook created since a given time that failed, or waits for a retry or for the endpoint. Delivered ones aren’t sent again."
      >
        <CallForm
          call={{ method: "POST", path: `${listPath}/recover` }}
          fields={[{ name: "since", label: "Created since (real time, UTC)", kind: "time", initial: dayBefore(now) }]}
          button="Recover all"
          showsAnswer
        />
      </ConsoleSection>

      {list ? <WebhookFaults fault={list.fault} isWithholding={list.webhooks.some(isWithheld)} /> : null}

      <ConsoleSection title="Deliveries">
        <PagePart part={list} path={listPath}>
          {({ webhooks, next }) =>
            webhooks.length === 0 ? (
              <NothingYet>No webhooks yet. They’re sent when a person or a payment changes.</NothingYet>
            ) : (
              <Paged name="deliveries" records={webhooks} query={query} pageSize={10} isCut={next !== null}>
                {(shown) => (
                  <ul className="flex flex-col gap-3">
                    {shown.map((webhook) => (
                      <Delivery
                        key={webhook.id}
                        webhook={webhook}
                        answers={answers?.filter(({ webhook_id }) => webhook_id === webhook.id) ?? []}
                      />
                    ))}
                  </ul>
                )}
              </Paged>
            )
          }
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

/** As a `datetime-local` field has it. */
function dayBefore(now: number): string {
  return new Date(now - 24 * 3_600_000).toISOString().slice(0, "2026-01-31T09:30".length);
}

function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  return (
    <DescriptionList
      items={[
        { term: "URL", details: endpoint.url ?? "none; webhooks wait until you set one" },
        { term: "State", details: <EndpointState endpoint={endpoint} /> },
        ...(endpoint.previous_secret_expires_at
          ? [{ term: "Old secret signs until", details: endpoint.previous_secret_expires_at }]
          : []),
      ]}
    />
  );
}

function UrlForm({ url }: Pick<Endpoint, "url">) {
  return (
    <CallForm
      call={{ method: "PUT", path: "/sandbox/webhook_endpoint" }}
      fields={[{ name: "url", label: "Send webhooks to", kind: "text", initial: url ?? "" }]}
      button="Save URL"
    />
  );
}

function SecretForm() {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-ink-soft">
        The new secret is shown here once. For {limits.webhookPreviousSecretSeconds / 3600} hours, every webhook is
        signed with both secrets. Rotating again within that time ends the older one.
      </p>
      <CallForm
        call={{ method: "POST", path: "/sandbox/webhook_endpoint/rotate" }}
        button="Rotate secret"
        showsAnswer
      />
    </div>
  );
}

function isWithheld({ status, fault, attempts }: DeliveryRecord): boolean {
  return status === "pending" && fault === "withhold" && attempts.length === 0;
}

type WebhookFaultsProps = Pick<DeliveryList, "fault"> & { isWithholding: boolean };

function WebhookFaults({ fault, isWithholding }: WebhookFaultsProps) {
  return (
    <ConsoleSection
      title="Webhook faults"
      description={
        fault
          ? `The next ${fault.times === 1 ? "webhook" : `${fault.times} webhooks`}: ${fault.kind}.`
          : isWithholding
            ? "The fault is used up. The webhooks that it withheld wait until you clear or replace it, for an hour at most."
            : "No faults set. A fault affects the first attempt of each of the next webhooks, exactly as many as you set."
      }
    >
      <div className="flex flex-wrap items-end gap-x-6 gap-y-4">
        <CallForm
          call={{ method: "PUT", path: "/sandbox/webhook_faults" }}
          fields={[
            {
              name: "kind",
              label: "Fault",
              kind: "choice",
              choices: webhookFaultKinds.map((kind) => [kind, faultWords[kind]] as const),
              initial: "drop",
            },
            { name: "times", label: "Number of webhooks", kind: "number", initial: "1" },
          ]}
          button="Set fault"
        />
        {fault || isWithholding ? (
          <CallForm call={{ method: "DELETE", path: "/sandbox/webhook_faults" }} button="Clear fault" />
        ) : null}
      </div>
    </ConsoleSection>
  );
}

function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.disabled_at) return <StatusBadge tone="danger">Disabled until you save a URL again</StatusBadge>;
  if (endpoint.failing_since)
    return (
      <>
        <StatusBadge tone="warning">Failing</StatusBadge> since {endpoint.failing_since}
      </>
    );
  return endpoint.url ? (
    <StatusBadge tone="success">Working</StatusBadge>
  ) : (
    <StatusBadge tone="neutral">Waiting</StatusBadge>
  );
}

function Delivery({ webhook, answers }: { webhook: DeliveryRecord; answers: DeliveryEvent[] }) {
  return (
    <li className="flex flex-col gap-3 border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h3 className="font-mono text-sm font-semibold">{webhook.webhook_type}</h3>
        <WireStatus status={webhook.status} />
        {webhook.fault ? <StatusBadge tone="warning">Fault: {webhook.fault}</StatusBadge> : null}
        <span className="text-sm text-ink-soft sm:ml-auto">
          <ExactTime at={webhook.created_at} />
        </span>
      </div>
      <p className="text-sm">
        <KnownId join={`webhook:${webhook.id}`} />
      </p>
      {webhook.attempts.length === 0 ? (
        <p className="text-sm text-ink-soft">No attempt yet.</p>
      ) : (
        <ol className="flex flex-col gap-2 border-l-2 border-line pl-4 text-sm">
          {webhook.attempts.map((attempt) => (
            <li key={attempt.attempt} className="flex flex-col gap-1">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span>Attempt {attempt.attempt}</span>
                <StatusCode status={attempt.response_status} reason={attempt.error} />
                <span className="text-ink-soft">
                  <ExactTime at={attempt.sent_at} />, {attempt.duration_ms} ms
                </span>
              </p>
              <ReceiverAnswer answers={answers} attempt={attempt.attempt} />
            </li>
          ))}
        </ol>
      )}
      {webhook.next_attempt_at ? (
        <p className="text-sm text-ink-soft">
          Next attempt: <ExactTime at={webhook.next_attempt_at} />
        </p>
      ) : null}
      <CallForm
        call={{ method: "POST", path: `/sandbox/webhooks/${webhook.id}/redeliver` }}
        button="Redeliver webhook"
        about={`${webhook.webhook_type} ${webhook.id}`}
      />
    </li>
  );
}

function ReceiverAnswer({ answers, attempt }: { answers: DeliveryEvent[]; attempt: number }) {
  const response = answers.find(({ facts }) => facts.attempt === attempt && facts.answer)?.facts.answer;
  if (!response) return null;
  return (
    <pre className="max-h-40 overflow-y-auto rounded-control border border-line bg-canvas p-2 font-mono text-xs break-all whitespace-pre-wrap">
      {response}
    </pre>
  );
}
