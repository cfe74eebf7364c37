import { DescriptionList } from "#components/ui/description-list.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { DeliveryEvent } from "#lib/contract/sandbox-events.ts";
import type { DeliveryList, DeliveryRecord } from "#lib/contract/sandbox-webhooks.ts";
import { webhookFaultKinds } from "#lib/contract/webhooks.ts";
import { CallForm } from "../calls/call-form.tsx";
import { KnownId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet } from "../console-page.tsx";
import { NotRead, PagePart } from "../page-part.tsx";
import { StatusCode, WireStatus } from "../wire-status.tsx";

const faultWords: Record<(typeof webhookFaultKinds)[number], string> = {
  drop: "drop: it is not sent",
  delay: "delay: it comes late",
  duplicate: "duplicate: it comes twice",
  reorder: "reorder: the next one comes first",
  tamper: "tamper: its body is changed",
  stale: "stale: it is dated back",
  unknown_type: "unknown_type: a type of the future",
  old_secret: "old_secret: signed with the old secret alone",
};

type WebhooksProps = {
  list: DeliveryList | undefined;
  /** What the receiver answered. */
  answers: DeliveryEvent[] | undefined;
  lastEvent: string | undefined;
};

type Endpoint = DeliveryList["endpoint"];

const listPath = "/sandbox/webhooks";
/** The call that tells what the receiver answered. */
export const answersPath = "/sandbox/events?kind=delivery&limit=1000";

/** Where webhooks go, what is to go wrong with the next ones, and each with its attempts and what the receiver said. */
export function Webhooks({ list, answers, lastEvent }: WebhooksProps) {
  return (
    <ConsolePage
      title="Webhooks"
      says="What the service told your app, each attempt with what your receiver answered to it."
      lastEvent={lastEvent}
    >
      <ConsoleSection title="Endpoint" call={{ method: "GET", path: listPath }}>
        <PagePart part={list} path={listPath}>
          {({ endpoint }) => <EndpointSettings endpoint={endpoint} />}
        </PagePart>
      </ConsoleSection>

      {list ? <Breaking fault={list.fault} /> : null}

      <ConsoleSection title="Deliveries">
        {answers ? null : <NotRead path={answersPath} />}
        <PagePart part={list} path={listPath}>
          {({ webhooks }) =>
            webhooks.length === 0 ? (
              <NothingYet>No webhook yet: they follow changes of people and of payments.</NothingYet>
            ) : (
              <ul className="flex flex-col gap-3">
                {webhooks.map((webhook) => (
                  <Delivery
                    key={webhook.id}
                    webhook={webhook}
                    answers={answers?.filter(({ webhook_id }) => webhook_id === webhook.id) ?? []}
                  />
                ))}
              </ul>
            )
          }
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  return (
    <>
      <DescriptionList
        items={[
          { term: "Address", details: endpoint.url ?? "none: webhooks wait until there is one" },
          { term: "State", details: <EndpointState endpoint={endpoint} /> },
          ...(endpoint.previous_secret_expires_at
            ? [{ term: "The old secret signs until", details: endpoint.previous_secret_expires_at }]
            : []),
        ]}
      />
      <div className="mt-4 grid gap-6 md:grid-cols-2">
        <CallForm
          key={endpoint.url}
          call={{ method: "PUT", path: "/sandbox/webhook_endpoint" }}
          fields={[{ name: "url", label: "Send webhooks to", kind: "text", initial: endpoint.url ?? "" }]}
          button="Save the address"
        />
        <div className="flex flex-col gap-2">
          <p className="text-sm text-ink-soft">
            A new secret is shown once, here. For {limits.webhookPreviousSecretSeconds / 3600} hours each webhook is
            signed with the new secret and with the old one.
          </p>
          <CallForm
            call={{ method: "POST", path: "/sandbox/webhook_endpoint/rotate" }}
            button="Rotate the secret"
            showsAnswer
          />
        </div>
      </div>
    </>
  );
}

function Breaking({ fault }: Pick<DeliveryList, "fault">) {
  return (
    <ConsoleSection
      title="Break the next ones"
      says={
        fault
          ? `The next ${fault.times === 1 ? "webhook" : `${fault.times} webhooks`}: ${fault.kind}.`
          : "Nothing is to go wrong. What you choose happens to exactly as many webhooks as you say, each at its first attempt."
      }
    >
      <div className="flex flex-wrap items-end gap-x-6 gap-y-4">
        <CallForm
          call={{ method: "PUT", path: "/sandbox/webhook_faults" }}
          fields={[
            {
              name: "kind",
              label: "What happens",
              kind: "choice",
              choices: webhookFaultKinds.map((kind) => [kind, faultWords[kind]] as const),
              initial: "drop",
            },
            { name: "times", label: "To how many", kind: "number", initial: "1" },
          ]}
          button="Break them"
        />
        {fault ? <CallForm call={{ method: "DELETE", path: "/sandbox/webhook_faults" }} button="Stop it" /> : null}
      </div>
    </ConsoleSection>
  );
}

function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.disabled_at) return <StatusBadge tone="danger">Disabled until an address is named again</StatusBadge>;
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
        {webhook.fault ? <StatusBadge tone="warning">On purpose: {webhook.fault}</StatusBadge> : null}
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
        button="Send again"
        about={`${webhook.webhook_type} ${webhook.id}`}
      />
    </li>
  );
}

function ReceiverAnswer({ answers, attempt }: { answers: DeliveryEvent[]; attempt: number }) {
  const said = answers.find(({ facts }) => facts.attempt === attempt && facts.answer)?.facts.answer;
  if (!said) return null;
  return (
    <pre className="max-h-40 overflow-y-auto rounded-control border border-line bg-canvas p-2 font-mono text-xs break-all whitespace-pre-wrap">
      {said}
    </pre>
  );
}
