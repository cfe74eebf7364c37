"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { brandName } from "#brand/name.ts";
import { joinEntries } from "#lib/partner/inspector/groups.ts";
import type { InspectorContent } from "#lib/partner/inspector/read-inspector.ts";
import { fetchAsPage } from "../live/fetch-as-page.ts";
import { isLive } from "../live/live-connection.ts";

const queryKey = ["inspector"];
const shownMax = 500;
// The stream tells when there is something new; asking is for safety, or for where there is no stream.
const everyMs = { live: 30_000, alone: 1500 };

/** This person's entries, kept up to date. Inside a LiveProvider. `data`: undefined until the first answer. */
export function useEntries(): { data: InspectorContent | undefined; isError: boolean } {
  const client = useQueryClient();
  const { data, isError } = useQuery({
    queryKey,
    queryFn: async () => {
      const known = client.getQueryData<InspectorContent>(queryKey);
      const { entries, upTo } = await readEntries(known?.upTo);
      return { entries: joinEntries(known?.entries ?? [], entries, shownMax), upTo };
    },
    meta: { topics: ["inspector"] },
    refetchInterval: () => (isLive() ? everyMs.live : everyMs.alone),
  });
  return { data, isError };
}

async function readEntries(since: string | undefined): Promise<InspectorContent> {
  const query = since === undefined ? "" : `?${new URLSearchParams({ since })}`;
  const response = await fetchAsPage(`/api/sandbox/inspector${query}`);
  if (!response.ok) throw new Error(`${brandName} answered ${response.status}.`);
  return response.json();
}
