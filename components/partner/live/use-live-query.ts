"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { brandName } from "#brand/name.ts";
import type { Topic } from "#lib/partner/live/live-event.ts";
import { isLive, listenLive } from "./live-connection.ts";
import { fetchAsPage, reloadWhenIdle } from "./page-session.ts";

export type LiveQuery<Data extends object> = {
  /** The route that returns the data as JSON, made by `polledRoute`. */
  path: string;
  /** Refetched when one of these changes. */
  topics: readonly Topic[];
  /** Limits changes to one item; all by default. */
  id?: string;
  /** What the server rendered. */
  initial: Data;
  /** Whether to poll often, because reading makes Harbor poll the service and there may be no event. */
  isOpen?: (data: Data) => boolean;
};

// With a live stream, polling covers data without events, and is a fallback.
const everyMs = { live: { open: 3_000, settled: 60_000 }, alone: { open: 1_000, settled: 10_000 } };
// Longer than Harbor waits for the service, up to 10 s for each of two calls.
const timeoutMs = 25_000;
const retriesMax = 3;

/** The page must be loaded again. */
export class OutdatedPageError extends Error {}

/** Server-rendered data, kept up to date by the stream or by polling. Inside a LiveProvider. */
export function useLiveQuery<Data extends object>({
  path,
  topics,
  id,
  initial,
  isOpen,
}: LiveQuery<Data>): {
  data: Data;
  /** The last read failed; `data` is the latest known. */
  isError: boolean;
} {
  const isStreaming = useSyncExternalStore(subscribe, isLive, () => false);
  const { data, error } = useQuery({
    queryKey: [path],
    queryFn: () => readJson<Data>(path),
    meta: { topics, id },
    retry: (failures, error) => !(error instanceof OutdatedPageError) && failures < retriesMax,
    initialData: initial,
    refetchOnMount: false,
    refetchInterval: (query) => {
      const pause = isStreaming ? everyMs.live : everyMs.alone;
      return query.state.data !== undefined && isOpen?.(query.state.data) ? pause.open : pause.settled;
    },
  });
  const isOutdated = error instanceof OutdatedPageError;
  useEffect(() => (isOutdated ? reloadWhenIdle() : undefined), [isOutdated]);
  return { data, isError: error !== null && !isOutdated };
}

function subscribe(onChange: () => void): () => void {
  return listenLive({ onLive: onChange, onEvent: () => {} });
}

export async function readJson<Data>(path: string): Promise<Data> {
  const response = await fetchAsPage(path, { signal: AbortSignal.timeout(timeoutMs) });
  if (response.status === 401) throw new OutdatedPageError("This page's person is no longer signed in.");
  if (response.status === 404) throw new OutdatedPageError("What this page shows no longer exists.");
  if (!response.ok) throw new Error(`${brandName} answered ${response.status}.`);
  return response.json();
}

/** The text of a live region: what changed in `data` since the page loaded. `announce` returns "" for no change. */
export function useAnnouncement<Data>(data: Data, announce: (before: Data, now: Data) => string): string {
  const [shown, setShown] = useState({ data, text: "" });
  if (shown.data === data) return shown.text;
  const text = announce(shown.data, data) || shown.text;
  setShown({ data, text });
  return text;
}
