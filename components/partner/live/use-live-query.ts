"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { brandName } from "#brand/name.ts";
import type { Topic } from "#lib/partner/live/live-event.ts";
import { isLive, listenLive } from "./live-connection.ts";
import { fetchAsPage, reloadWhenIdle } from "./page-session.ts";

export type LiveQuery<Data extends object> = {
  /** The route that answers with the data as JSON, made by `polledRoute`. */
  path: string;
  /** What it is made of: it is read again when something of these changed. */
  topics: readonly Topic[];
  /** The one thing of its topics that it is about; all of them when left out. */
  id?: string;
  /** What the server rendered. */
  initial: Data;
  /** Whether Harbor asks the service about it while somebody waits, because the service may announce nothing. */
  isOpen?: (data: Data) => boolean;
};

// While the stream tells what changed, asking is for what only asking brings, and for safety.
const everyMs = { live: { open: 5_000, settled: 60_000 }, alone: { open: 1_000, settled: 10_000 } };
const timeoutMs = 10_000;
const retriesMax = 3;

class SignedOutError extends Error {}

/** What the server rendered, kept up to date by the stream, or by asking again where there is none. Inside a LiveProvider. */
export function useLiveQuery<Data extends object>({
  path,
  topics,
  id,
  initial,
  isOpen,
}: LiveQuery<Data>): {
  data: Data;
  /** It could not be read just now; `data` is the last that is known. */
  isError: boolean;
} {
  const isTold = useSyncExternalStore(subscribe, isLive, () => false);
  const { data, error } = useQuery({
    queryKey: [path],
    queryFn: () => readJson<Data>(path),
    meta: { topics, id },
    retry: (failures, error) => !(error instanceof SignedOutError) && failures < retriesMax,
    initialData: initial,
    refetchOnMount: false,
    refetchInterval: (query) => {
      const pause = isTold ? everyMs.live : everyMs.alone;
      return query.state.data !== undefined && isOpen?.(query.state.data) ? pause.open : pause.settled;
    },
  });
  const isSignedOut = error instanceof SignedOutError;
  useEffect(() => (isSignedOut ? reloadWhenIdle() : undefined), [isSignedOut]);
  return { data, isError: error !== null };
}

function subscribe(onChange: () => void): () => void {
  return listenLive({ onLive: onChange, onEvent: () => {} });
}

async function readJson<Data>(path: string): Promise<Data> {
  const response = await fetchAsPage(path, { signal: AbortSignal.timeout(timeoutMs) });
  if (response.status === 401) throw new SignedOutError("Nobody is signed in any more, or somebody else is.");
  if (!response.ok) throw new Error(`${brandName} answered ${response.status}.`);
  return response.json();
}

/**
 * What a live region is to say: what is new in `data`, said once and never for what the page began with. It stays until
 * there is other news, and `tellNews` answers with an empty text when there is none.
 */
export function useAnnouncement<Data>(data: Data, tellNews: (before: Data, now: Data) => string): string {
  const [told, setTold] = useState({ data, news: "" });
  if (told.data === data) return told.news;
  const news = tellNews(told.data, data) || told.news;
  setTold({ data, news });
  return news;
}
