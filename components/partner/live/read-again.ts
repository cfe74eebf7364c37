import type { Query, QueryClient } from "@tanstack/react-query";
import type { LiveEvent, Topic } from "#lib/partner/live/live-event.ts";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: { topics?: readonly Topic[]; id?: string | undefined };
  }
}

/**
 * Reads again what an event concerns. While a read is under way what is told meanwhile waits and is then read once: a
 * read that each new event began anew might never end.
 */
export function createReadAgain(client: QueryClient): (event: LiveEvent) => Promise<void> {
  let isReading = false;
  let told: LiveEvent[] = [];
  return async (event) => {
    told.push(event);
    if (isReading) return;
    isReading = true;
    while (told.length > 0) {
      const events = told;
      told = [];
      await client.invalidateQueries({ predicate: (query) => events.some((each) => concerns(each, query)) });
    }
    isReading = false;
  };
}

function concerns(event: LiveEvent, { meta }: Query): boolean {
  if (event.kind !== "changed") return event.kind === "ready" && meta?.topics !== undefined;
  const isTopic = meta?.topics?.includes(event.topic) ?? false;
  return isTopic && (event.id === undefined || meta?.id === undefined || meta.id === event.id);
}
