import { Alert } from "#components/ui/alert.tsx";
import type { CheckedRule, CheckReport, DrillList } from "#lib/contract/sandbox-checks.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsolePage, ConsoleSection, NothingYet, NotRead, PagePart, type PageProps } from "../console-page.tsx";
import { Paged } from "../paged.tsx";
import { RuleLine } from "../rule-line.tsx";

export function Checks({ report, drills, query, lastEvent }: PageProps<{ report: CheckReport; drills: DrillList }>) {
  return (
    <ConsolePage
      title="Checks"
      description="Is your integration correct? Each rule is judged only by what the service recorded about your app."
      lastEvent={lastEvent}
    >
      <PagePart part={report} path="/sandbox/checks">
        {(data) => <Report report={data} drills={drills} query={query} />}
      </PagePart>
      <ConsoleSection
        title="Probe your customer endpoint"
        description="The service requests an unknown customer, and one of yours both without your secret and with a wrong one."
      >
        <CallForm
          call={{ method: "POST", path: "/sandbox/customer_probes", body: {} }}
          button="Send probes"
          showsAnswer
        />
      </ConsoleSection>
    </ConsolePage>
  );
}

type ReportProps = { report: CheckReport; drills: DrillList | undefined; query: URLSearchParams };

function Report({ report, drills, query }: ReportProps) {
  const { kept, broken, not_seen, advice_broken } = report.summary;
  const drillNames = new Map(drills?.drills.map(({ id, title }) => [id, title]));
  const of = (state: CheckedRule["state"]) => report.rules.filter((rule) => rule.state === state);
  return (
    <>
      <Alert
        tone={broken > 0 ? "danger" : kept > 0 ? "success" : "info"}
        title={
          broken > 0
            ? `${broken} ${broken === 1 ? "rule is" : "rules are"} broken`
            : kept > 0
              ? "No rules are broken"
              : "Nothing recorded yet"
        }
      >
        {kept} kept, {broken} broken, {not_seen} not seen
        {advice_broken > 0 ? `; advice not followed: ${advice_broken}` : ""}. {report.events} events checked.
      </Alert>
      <ConsoleSection title="Broken" call={{ method: "GET", path: "/sandbox/checks" }}>
        <Rules name="broken" rules={of("broken")} query={query} none="None." />
      </ConsoleSection>
      <ConsoleSection title="Not seen" description="Nothing has tested these rules yet. Run a drill to test one.">
        {drills ? null : <NotRead path="/sandbox/drills" />}
        <Rules
          name="not-seen"
          rules={of("not_seen")}
          query={query}
          none="None. Every rule has been tested."
          drillNames={drillNames}
        />
      </ConsoleSection>
      <ConsoleSection title="Kept">
        <Rules name="kept" rules={of("kept")} query={query} none="None yet." />
      </ConsoleSection>
    </>
  );
}

type RulesProps = {
  name: string;
  rules: CheckedRule[];
  query: URLSearchParams;
  none: string;
  drillNames?: ReadonlyMap<string, string>;
};

function Rules({ name, rules, query, none, drillNames }: RulesProps) {
  if (rules.length === 0) return <NothingYet>{none}</NothingYet>;
  return (
    <Paged name={name} records={rules} query={query} words={["Previous", "Next"]} pageSize={10}>
      {(shown) => (
        <ul className="flex flex-col gap-3">
          {shown.map((rule) => (
            <RuleLine key={rule.id} rule={rule} drillNames={drillNames} />
          ))}
        </ul>
      )}
    </Paged>
  );
}
