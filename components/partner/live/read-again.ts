import type { Query, QueryClient } from "@tanstack/react-query";
import type { Topic } from "#lib/partner/live/live-event.ts";
import type { HeardEvent } from "./live-connection.ts";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: { topics?: readonly Topic[]; id?: string | undefined };
  }
}

/**
 * Reads again what an event concerns. While a read is under way what is told meanwhile waits and is then read once: a
 * read that each new event began anew might never end.
 */
export function createReadAgain(client: QueryClient): (event: HeardEvent) => Promise<void> {
  let isReading = false;
  let told: HeardEvent[] = [];
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

function concerns(event: HeardEvent, { meta }: Query): boolean {
  const { kind } = event;
  if (kind !== "changed") return (kind === "ready" || kind === "refused") && meta?.topics !== undefined;
  const isTopic = meta?.topics?.includes(event.topic) ?? false;
  return isTopic && (event.id === undefined || meta?.id === undefined || meta.id === event.id);
}
