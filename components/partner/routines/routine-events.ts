import type { TimelineEvent } from "#components/ui/timeline.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { useWords } from "#use-words";
import { toneOfMeaning, useStatusWords } from "../status-words.ts";

type Event = RoutineView["events"][number];

/** The routine's timeline, beginning with our own request, and the announcement of new statuses. */
export function useRoutineEvents() {
  const t = useWords("paid.events");
  const wordsOf = useStatusWords();

  function titleOf({ resource, status }: Event): string {
    return t("reported", { what: resource, status: wordsOf(status).toLowerCase() });
  }

  function eventsOf(routine: RoutineView): TimelineEvent[] {
    const title = t(routine.isFound ? "created" : "sent");
    const first = { id: "sent", title, at: routine.createdAt, tone: "neutral" as const };
    const rest = routine.events.map((event) => ({
      id: `${event.resource} ${event.status}`,
      title: titleOf(event),
      at: event.occurredAt,
      tone: toneOfMeaning(event.meaning),
    }));
    if (routine.confirmation === null) return [first, ...rest, ...expectedSteps(routine)];
    const { by, at } = routine.confirmation;
    const confirmed = { id: "confirmed", title: t("confirmed", { by }), at, tone: "neutral" as const };
    return [first, ...rest, confirmed].toSorted((one, other) => one.at.localeCompare(other.at));
  }

  /** The steps still to come for an open payment. */
  function expectedSteps({ state, sellerName, events }: RoutineView): TimelineEvent[] {
    const steps: TimelineEvent[] = [];
    const later = { at: undefined, tone: "neutral" as const };
    if (state === "submitting") steps.push({ ...later, id: "accepted", title: t("accepted") });
    const isEnding = events.some(({ meaning }) => meaning !== "open");
    if ((state === "submitting" || state === "open") && !isEnding) {
      const title = sellerName ? t("arrivesAt", { name: sellerName }) : t("arrives");
      steps.push({ ...later, id: "arrives", title });
    }
    return steps;
  }

  /** Announces each new status. */
  function announce(before: RoutineView, now: RoutineView): string {
    const known = before.events.map(titleOf);
    return now.events
      .filter((event) => !known.includes(titleOf(event)))
      .map(({ resource, status }) => t("news", { what: resource, status: wordsOf(status).toLowerCase() }))
      .join(" ");
  }

  return { eventsOf, announce };
}

/** The reported ends: the transfer's own if it has several, else all. */
export function endsOf(events: RoutineView["events"]): RoutineView["events"] {
  const ends = events.filter(({ meaning }) => meaning !== "open");
  const ofTransfer = ends.filter(({ resource }) => resource === "transfer");
  return ofTransfer.length > 1 ? ofTransfer : ends;
}
