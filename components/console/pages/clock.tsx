import { aheadOf, jumps } from "#components/sandbox/time-jumps.ts";
import { ExactTime } from "#components/ui/exact-time.tsx";
import type { ClockRecord, DueList } from "#lib/contract/sandbox.ts";
import type { ControlEvent, EventPage } from "#lib/contract/sandbox-events.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink, ShortId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet, PagePart, type PageProps } from "../console-page.tsx";
import { Countdown } from "../countdown.tsx";
import { stepOf } from "../describe-event.ts";
import { addressOf } from "../filters.ts";
import { Paged } from "../paged.tsx";
import { type Column, RecordTable } from "../record-table.tsx";

// Longer than any lifetime.
const dueDays = 31;
export const duePath = `/sandbox/clock/due?seconds=${dueDays * 24 * 60 * 60}`;
export const jumpsPath = "/sandbox/events?kind=control&limit=1000";
const eventsMax = 50;
export const pathAfter = ({ id }: Pick<ControlEvent, "id">) => `/sandbox/events?after=${id}&limit=${eventsMax}`;

type ClockProps = PageProps<{
  clock: ClockRecord;
  due: DueList;
  /** Null if the clock never moved. */
  lastJump: ControlEvent | null;
  sinceJump: EventPage;
}>;

export function Clock({ clock, due, lastJump, sinceJump, query, lastEvent }: ClockProps) {
  return (
    <ConsolePage
      title="Clock"
      description="This client has its own clock for every lifetime and schedule. Move it forward, and everything due runs right away."
      lastEvent={lastEvent}
    >
      <ConsoleSection title="Current time" call={{ method: "GET", path: "/sandbox/clock" }}>
        <PagePart part={clock} path="/sandbox/clock">
          {({ now, offset_seconds }) => (
            <p className="text-lg">
              <time dateTime={now} className="tabular-nums">
                {now.slice(0, 19).replace("T", " ")} UTC
              </time>
              , {aheadOf(offset_seconds)}
            </p>
          )}
        </PagePart>
        <ul aria-label="Jumps" className="flex flex-wrap gap-x-6 gap-y-4">
          {jumps.map(([seconds, name]) => (
            <li key={seconds}>
              <CallForm
                call={{ method: "POST", path: "/sandbox/clock/advance", body: { seconds } }}
                button={`${name} forward`}
              />
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap items-end gap-x-8 gap-y-4">
          <CallForm
            call={{ method: "POST", path: "/sandbox/clock/advance" }}
            fields={[{ name: "seconds", label: "Seconds forward", kind: "number", initial: "60" }]}
            button="Move forward"
          />
          <div className="flex max-w-md flex-col gap-2">
            <p className="text-sm text-ink-soft">
              Resetting to real time ends this client’s tokens, codes, and open visits.
            </p>
            <CallForm
              call={{ method: "POST", path: "/sandbox/clock/reset" }}
              button="Reset to real time"
              variant="danger"
            />
          </div>
        </div>
      </ConsoleSection>

      <ConsoleSection
        title="Coming up"
        description={`The next ${dueDays} days, soonest first. Tokens and codes are listed under their user or intent.`}
        call={{ method: "GET", path: duePath }}
      >
        <PagePart part={due} path={duePath}>
          {(data) => (
            <Paged name="due" records={data.due} query={query} words={["Sooner", "Later"]}>
              {(shown) => (
                <RecordTable
                  columns={dueColumns(data.now)}
                  records={shown}
                  keyOf={({ kind, id, due_at }) => `${kind} ${id} ${due_at}`}
                  none="Nothing is due."
                />
              )}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>

      <ConsoleSection
        title="Since the last jump"
        {...(lastJump && { call: { method: "GET", path: pathAfter(lastJump) } as const })}
      >
        <PagePart part={lastJump} path={jumpsPath}>
          {(jump) =>
            jump === null ? (
              <NothingYet>No move of the clock is on record.</NothingYet>
            ) : (
              <PagePart part={sinceJump} path={pathAfter(jump)}>
                {(page) => <Since page={page} />}
              </PagePart>
            )
          }
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

function Since({ page: { events, later_exist } }: { page: EventPage }) {
  const last = events.at(-1);
  if (!last) return <NothingYet>No events yet.</NothingYet>;
  return (
    <>
      <ol className="flex flex-col gap-1.5">
        {events.map((event) => {
          const { name, outcome } = stepOf(event);
          return (
            <li key={event.id} className="flex flex-wrap items-baseline gap-x-3">
              <span className="text-sm text-ink-soft">
                <ExactTime at={event.at} />
              </span>
              <ConsoleLink href={addressOf({ event: event.id })}>{name}</ConsoleLink>
              <span className="font-mono text-xs">{outcome}</span>
            </li>
          );
        })}
      </ol>
      {later_exist ? (
        <p className="text-sm">
          These are the first {eventsMax}.{" "}
          <ConsoleLink href={addressOf({ event: last.id })}>Show what followed</ConsoleLink>
        </p>
      ) : null}
    </>
  );
}

const dueColumns = (now: string): Column<DueList["due"][number]>[] => [
  { name: "Item", cell: ({ kind }) => kind.replaceAll("_", " ") },
  { name: "For", cell: ({ id, kind }) => <ShortId id={id} kind={kind.replaceAll("_", " ")} /> },
  { name: "Due", cell: ({ due_at }) => <ExactTime at={due_at} /> },
  {
    name: "In",
    align: "right",
    cell: ({ due_at }) => (Date.parse(due_at) <= Date.parse(now) ? "due" : <Countdown until={due_at} now={now} />),
  },
];
