"use client";

import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import type { Topic } from "#lib/partner/live/live-event.ts";
import { isLive, listenLive, type StreamEvent } from "./live-connection.ts";
import { reloadWhenIdle } from "./page-session.ts";
import { QueryProvider } from "./query-provider.tsx";

/** Keeps the queries below it up to date (`useLiveQuery`). */
export function LiveProvider({ children }: { children: ReactNode }) {
  return (
    <QueryProvider>
      <LiveUpdates />
      {children}
    </QueryProvider>
  );
}

function LiveUpdates() {
  const client = useQueryClient();
  useEffect(() => {
    const readAgain = createRefetcher(client);
    // An open stream may have announced changes before this page listened.
    if (isLive()) void readAgain({ kind: "ready" });
    let stay = () => {};
    const stopListening = listenLive({
      onLive: () => {},
      onEvent: (event) => {
        if (event.kind === "session_ended") stay = reloadWhenIdle();
        else void readAgain(event);
      },
    });
    return () => {
      stay();
      stopListening();
    };
  }, [client]);
  return null;
}

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: { topics?: readonly Topic[]; id?: string };
  }
}

/** Refetches what an event affects. Batches events during a refetch: restarting it each time might never end. */
export function createRefetcher(client: QueryClient): (event: StreamEvent) => Promise<void> {
  let isReading = false;
  let waiting: StreamEvent[] = [];
  return async (event) => {
    waiting.push(event);
    if (isReading) return;
    isReading = true;
    while (waiting.length > 0) {
      const events = waiting;
      waiting = [];
      await client.invalidateQueries({ predicate: (query) => events.some((each) => concerns(each, query)) });
    }
    isReading = false;
  };
}

function concerns(event: StreamEvent, { meta }: Query): boolean {
  const isStale = event.kind === "refused" || (event.kind === "ready" && !event.isSince);
  if (event.kind !== "changed") return isStale && meta?.topics !== undefined;
  const isTopic = meta?.topics?.includes(event.topic) ?? false;
  return isTopic && (event.id === undefined || meta?.id === undefined || meta.id === event.id);
}
