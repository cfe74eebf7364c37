import type { CheckReport, DrillList } from "#lib/contract/sandbox-checks.ts";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NotRead, PagePart, type PageProps } from "../console-page.tsx";
import { Paged } from "../paged.tsx";
import { WireStatus } from "../wire-status.tsx";

export function Drills({ drills, report, query, lastEvent }: PageProps<{ drills: DrillList; report: CheckReport }>) {
  const stateOf = ({ rules }: CheckReport, id: string) => rules.find((rule) => rule.id === id)?.state ?? "not_seen";
  return (
    <ConsolePage
      title="Drills"
      description="Practice production failures. Each drill breaks something, explains what the interface says and what a good client does, and then checks yours."
      lastEvent={lastEvent}
    >
      <ConsoleSection
        title={drills ? `${drills.drills.length} drills` : "Drills"}
        call={{ method: "GET", path: "/sandbox/drills" }}
      >
        {report ? null : <NotRead path="/sandbox/checks" />}
        <PagePart part={drills} path="/sandbox/drills">
          {(data) => (
            <Paged name="drills" records={data.drills} query={query} words={["Previous", "Next"]}>
              {(shown) => (
                <ol className="flex flex-col gap-4">
                  {shown.map(({ id, title, broken, expect }) => (
                    <li key={id} className="border border-line bg-surface p-4">
                      <h3>
                        <ConsoleLink href={`/console/drills/${id}`}>{title}</ConsoleLink>
                      </h3>
                      <p className="mt-1 text-sm">{broken}</p>
                      <ul aria-label="Rules" className="mt-3 flex flex-wrap gap-x-4 gap-y-1.5 text-sm">
                        {expect.map((rule) => (
                          <li key={rule} className="flex items-center gap-2">
                            {report ? <WireStatus status={stateOf(report, rule)} /> : null}
                            <code className="font-mono text-xs break-all">{rule}</code>
                          </li>
                        ))}
                      </ul>
                    </li>
                  ))}
                </ol>
              )}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}
