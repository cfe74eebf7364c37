import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { ClauseBadge } from "#components/ui/clause-badge.tsx";
import type { CheckedRule, CheckReport, DrillRecord } from "#lib/contract/sandbox-checks.ts";
import type { DeliveryList } from "#lib/contract/sandbox-webhooks.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NotRead } from "../console-page.tsx";
import { RuleLine } from "../rule-line.tsx";

type DrillPageProps = {
  drill: DrillRecord;
  /** The last event before the drill started; undefined until it starts. */
  after: string | undefined;
  report: CheckReport | undefined;
  webhooks: DeliveryList | undefined;
  lastEvent: string | undefined;
};

export function DrillPage({ drill, after, report, webhooks, lastEvent }: DrillPageProps) {
  const hasStarted = after !== undefined;
  // A restored record may end before the drill's start.
  const isStartLost = report !== undefined && Number(after) > Number(report.last_event);
  const state = report && !isStartLost ? drillState(drill, report) : undefined;
  return (
    <ConsolePage title={drill.title} description={drill.broken} lastEvent={lastEvent}>
      <p>
        <ConsoleLink href="/console/drills">All drills</ConsoleLink>
      </p>
      {report && state ? (
        <Alert tone={tones[state.outcome]} title={titles[state.outcome]}>
          {state.outcome === "passed" ? drill.proof : `${report.events} events since the drill started.`}
        </Alert>
      ) : null}
      {isStartLost ? (
        <Alert tone="warning" title="This drill’s start is no longer on record">
          Restart the drill to see what your app does.
        </Alert>
      ) : null}
      {hasStarted && !report ? <NotRead path={`/sandbox/checks?after=${after}`} /> : null}
      <ConsoleSection title="Expected behavior">
        <p className="max-w-3xl">{drill.interface_says}</p>
        <p className="max-w-3xl">
          <strong>A good client:</strong> {lowered(drill.good_client)}
        </p>
        <div className="flex flex-col gap-1.5">
          {drill.clauses.map((clause) => (
            <ClauseBadge key={clause} clause={clause} />
          ))}
        </div>
      </ConsoleSection>
      {hasStarted ? <Steps drill={drill} webhooks={webhooks} /> : null}
      {state ? <Results state={state} /> : null}
      {lastEvent === undefined ? (
        <NotRead path={newestEventPath} />
      ) : (
        <p>
          <ButtonLink
            href={`/console/drills/${drill.id}?after=${lastEvent}`}
            variant={hasStarted ? "secondary" : "primary"}
          >
            {hasStarted ? "Restart" : "Start"}
          </ButtonLink>
        </p>
      )}
    </ConsolePage>
  );
}

const newestEventPath = "/sandbox/events?limit=1";

function Steps({ drill, webhooks }: Pick<DrillPageProps, "drill" | "webhooks">) {
  return (
    <ConsoleSection title="Steps">
      <ol className="flex list-decimal flex-col gap-4 pl-6">
        {drill.steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a drill's steps never change
          <li key={index}>{"do" in step ? step.do : <StepCall call={step.call} webhooks={webhooks} />}</li>
        ))}
      </ol>
    </ConsoleSection>
  );
}

function Results({ state: { expected, alsoBroken } }: { state: DrillState }) {
  return (
    <ConsoleSection title="What your app did">
      <ul className="flex flex-col gap-3">
        {[...expected, ...alsoBroken].map((rule) => (
          <RuleLine key={rule.id} rule={rule} />
        ))}
      </ul>
    </ConsoleSection>
  );
}

const tones = { passed: "success", failed: "danger", under_way: "info" } as const;
const titles = { passed: "Passed", failed: "Your app broke a rule", under_way: "In progress" };

type StepCallProps = {
  call: Extract<DrillRecord["steps"][number], { call: unknown }>["call"];
  webhooks: DeliveryList | undefined;
};

function StepCall({ call: { method, path, body }, webhooks }: StepCallProps) {
  const newestWebhook = webhooks?.webhooks[0]?.id;
  if (path.includes("{webhook_id}") && newestWebhook === undefined) {
    return webhooks ? (
      <p className="text-ink-soft">No webhook yet. Finish the step above first.</p>
    ) : (
      <NotRead path="/sandbox/webhooks" />
    );
  }
  const call = {
    method: method as "POST" | "PUT" | "DELETE",
    path: path.replace("{webhook_id}", newestWebhook ?? ""),
    ...(body && { body }),
  };
  return (
    <div className="flex flex-col gap-2">
      <code className="font-mono text-xs break-all text-ink-soft">
        {call.method} {call.path} {body ? JSON.stringify(body) : ""}
      </code>
      <CallForm call={call} button="Run" about={`${call.method} ${call.path}`} showsAnswer={path.endsWith("/rotate")} />
    </div>
  );
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** `passed`: every expected rule is kept, and no rule is broken. */
type DrillState = {
  outcome: "under_way" | "passed" | "failed";
  /** The drill's rules, judged since its start, in order. */
  expected: CheckedRule[];
  alsoBroken: CheckedRule[];
};

/** Judges a drill by the report since its start. Broken advice doesn't fail a drill. */
export function drillState({ expect }: Pick<DrillRecord, "expect">, { rules }: Pick<CheckReport, "rules">): DrillState {
  const expected = expect.flatMap((id) => rules.find((rule) => rule.id === id) ?? []);
  const alsoBroken = rules.filter(
    ({ id, state, is_advice }) => state === "broken" && !is_advice && !expect.includes(id),
  );
  const isBroken = alsoBroken.length > 0 || expected.some(({ state }) => state === "broken");
  const isKept = expected.length === expect.length && expected.every(({ state }) => state === "kept");
  return { outcome: isBroken ? "failed" : isKept ? "passed" : "under_way", expected, alsoBroken };
}
