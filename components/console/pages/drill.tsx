import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { ClauseBadge } from "#components/ui/clause-badge.tsx";
import type { CheckReport, DrillRecord } from "#lib/contract/sandbox-checks.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection } from "../console-page.tsx";
import { type DrillState, drillState } from "../drill-state.ts";
import { RuleLine } from "../rule-line.tsx";

type DrillPageProps = {
  drill: DrillRecord;
  /** The record since the drill began; undefined before that. */
  report: CheckReport | undefined;
  /** The newest webhook, for a step that is about one. */
  newestWebhook: string | undefined;
  lastEvent: string;
};

/** One drill, step by step, with a mark that says by itself when it is passed. */
export function DrillPage({ drill, report, newestWebhook, lastEvent }: DrillPageProps) {
  const state = report && drillState(drill, report);
  return (
    <ConsolePage title={drill.title} says={drill.broken} lastEvent={lastEvent}>
      <p>
        <ConsoleLink href="/console/drills">All drills</ConsoleLink>
      </p>
      {report && state ? (
        <Alert tone={tones[state.outcome]} title={titles[state.outcome]}>
          {state.outcome === "passed" ? drill.proof : `${report.events} steps seen since it began.`}
        </Alert>
      ) : null}
      <ConsoleSection title="What is right">
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
      {state ? <Run drill={drill} state={state} newestWebhook={newestWebhook} /> : null}
      <p>
        <ButtonLink href={`/console/drills/${drill.id}?after=${lastEvent}`} variant={report ? "secondary" : "primary"}>
          {report ? "Begin anew" : "Begin"}
        </ButtonLink>
      </p>
    </ConsolePage>
  );
}

type RunProps = { drill: DrillRecord; state: DrillState; newestWebhook: string | undefined };

function Run({ drill, state: { expected, alsoBroken }, newestWebhook }: RunProps) {
  return (
    <>
      <ConsoleSection title="Do this">
        <ol className="flex list-decimal flex-col gap-4 pl-6">
          {drill.steps.map((step, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a drill never change
            <li key={place}>{"do" in step ? step.do : <StepCall call={step.call} newestWebhook={newestWebhook} />}</li>
          ))}
        </ol>
      </ConsoleSection>
      <ConsoleSection title="What your app did">
        <ul className="flex flex-col gap-3">
          {[...expected, ...alsoBroken].map((rule) => (
            <RuleLine key={rule.id} rule={rule} />
          ))}
        </ul>
      </ConsoleSection>
    </>
  );
}

const tones = { passed: "success", failed: "danger", under_way: "info" } as const;
const titles = { passed: "Passed", failed: "Your app broke a rule", under_way: "Not seen yet" };

type StepCallProps = {
  call: Extract<DrillRecord["steps"][number], { call: unknown }>["call"];
  newestWebhook: string | undefined;
};

function StepCall({ call: { method, path, body }, newestWebhook }: StepCallProps) {
  if (path.includes("{webhook_id}") && newestWebhook === undefined)
    return <p className="text-ink-soft">There is no webhook yet: this follows the step before it.</p>;
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
      <CallForm
        call={call}
        button="Do it"
        about={`${call.method} ${call.path}`}
        showsAnswer={path.endsWith("/rotate")}
      />
    </div>
  );
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
