import { useEffect, useState } from "react";
import type { EventPage, SandboxEvent } from "#lib/contract/sandbox-events.ts";

const joinedMax = 1000;

/**
 * The events with those of one join that are older than them, asked of the service: what is held is not all there is. They
 * stand before the others, in their order.
 */
export function useJoined(events: SandboxEvent[], join: string): SandboxEvent[] {
  const [found, setFound] = useState<{ join: string; events: SandboxEvent[] }>();
  const before = events[0]?.id ?? "";
  const isHeld = !join || (found?.join === join && found.events.every(({ id }) => Number(id) < Number(before)));

  useEffect(() => {
    if (!join || !before) return;
    const leaving = new AbortController();
    const query = new URLSearchParams({ join, before, limit: String(joinedMax) });
    fetch(`/console/events?${query}`, { signal: leaving.signal })
      .then(async (answer) => {
        if (answer.ok) setFound({ join, events: ((await answer.json()) as EventPage).events });
      })
      // Without it, what is held is shown.
      .catch(() => undefined);
    return () => leaving.abort();
  }, [join, before]);

  return join && isHeld && found ? [...found.events, ...events] : events;
}
