import type { TimelineEvent } from "#components/ui/timeline.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { toneOfStatus, wordsOf } from "../status-words.ts";

/** The routine's life as a timeline, beginning with our own request. */
export function eventsOf(routine: RoutineView): TimelineEvent[] {
  const first: TimelineEvent = { id: "sent", title: "Payment sent by Harbor", at: routine.createdAt, tone: "neutral" };
  const rest = routine.events.map(({ resource, status, occurredAt }) => ({
    id: `${resource} ${status}`,
    title: `${resource === "routine" ? "Routine" : "Transfer"} ${wordsOf(status).toLowerCase()}`,
    at: occurredAt,
    tone: toneOfStatus(status),
  }));
  return [first, ...rest];
}
