import { brandName } from "#brand/name.ts";
import type { TimelineEvent } from "#components/ui/timeline.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { toneOfMeaning, wordsOf } from "../status-words.ts";

/** The routine's life as a timeline, beginning with our own request. */
export function eventsOf(routine: RoutineView): TimelineEvent[] {
  const first: TimelineEvent = {
    id: "sent",
    title: `Payment sent by ${brandName}`,
    at: routine.createdAt,
    tone: "neutral",
  };
  const rest = routine.events.map((event) => ({
    id: `${event.resource} ${event.status}`,
    title: titleOf(event),
    at: event.occurredAt,
    tone: toneOfMeaning(event.meaning),
  }));
  if (routine.confirmation === null) return [first, ...rest];
  const { by, at } = routine.confirmation;
  const confirmed: TimelineEvent = {
    id: "confirmed",
    title: `${by} confirmed what happened`,
    at,
    tone: "neutral",
  };
  return [first, ...rest, confirmed].toSorted((one, other) => one.at.localeCompare(other.at));
}

/** The reported ends: the transfer's, if it has several of its own. */
export function endsOf(events: RoutineView["events"]): RoutineView["events"] {
  const ends = events.filter(({ meaning }) => meaning !== "open");
  const ofTransfer = ends.filter(({ resource }) => resource === "transfer");
  return ofTransfer.length > 1 ? ofTransfer : ends;
}

/** Announces each new status. */
export function routineAnnouncement(before: RoutineView, now: RoutineView): string {
  const known = before.events.map(titleOf);
  return now.events
    .filter((event) => !known.includes(titleOf(event)))
    .map(({ resource, status }) => `The ${nameOf(resource)} is now ${wordsOf(status).toLowerCase()}.`)
    .join(" ");
}

function titleOf({ resource, status }: RoutineView["events"][number]): string {
  return wordsOf(`${nameOf(resource)} ${wordsOf(status).toLowerCase()}`);
}

/** What a person calls a record of the service. */
export function nameOf(resource: RoutineView["events"][number]["resource"]): string {
  return resource === "routine" ? "payment" : "transfer";
}
