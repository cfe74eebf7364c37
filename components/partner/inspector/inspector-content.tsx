"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { memo, useState } from "react";
import { brandName } from "#brand/name.ts";
import { Button } from "#components/ui/button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { type EntryGroup, groupEntries, joinEntries } from "#lib/partner/inspector/groups.ts";
import type { InspectorContent as Content } from "#lib/partner/inspector/read-inspector.ts";
import { isLive } from "../live/live-connection.ts";
import { LiveProvider } from "../live/live-provider.tsx";
import { fetchAsPage } from "../live/page-session.ts";
import { EntryRow, ExactTime } from "./entry-row.tsx";

export function InspectorContent() {
  return (
    <LiveProvider>
      <Entries />
    </LiveProvider>
  );
}

const groupsAtOnce = 12;

function Entries() {
  const { data, isError } = useEntries();
  const [shown, setShown] = useState(groupsAtOnce);
  const groups = groupEntries(data?.entries ?? []);
  return (
    <section
      aria-label="Exchanges"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain -outline-offset-2"
    >
      {isError ? (
        <p role="status" className="bg-warning-soft px-4 py-2 text-sm text-warning">
          We lost the connection. {data ? "This is the latest we have." : "Still trying."}
        </p>
      ) : null}
      {!data && !isError ? <Loading /> : null}
      {data && groups.length === 0 ? <Nothing /> : null}
      <ol className="flex flex-col">
        {groups.slice(0, shown).map((group) => (
          <ActionGroup key={group.traceId} group={group} />
        ))}
      </ol>
      {groups.length > shown ? (
        <p className="p-4 text-center">
          <Button variant="secondary" size="sm" onClick={() => setShown(shown + groupsAtOnce)}>
            Show earlier actions
          </Button>
        </p>
      ) : null}
    </section>
  );
}

function Loading() {
  return (
    <div role="status" className="flex flex-col gap-4 p-4">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-5 w-2/5" />
      <Skeleton className="h-12 w-full" />
      <Skeleton className="h-12 w-full" />
    </div>
  );
}

function Nothing() {
  return (
    <div className="px-6 py-10 text-center text-sm text-ink-soft">
      <p className="font-semibold text-ink">Nothing yet</p>
      <p className="mt-1.5">
        Every call that {brandName} makes for you, every request it answers and every webhook appears here.
      </p>
    </div>
  );
}

/** One action's exchanges. Off-screen groups aren't laid out, so that hundreds stay smooth. */
export const ActionGroup = memo(function ActionGroup({ group }: { group: EntryGroup }) {
  return (
    <li className="border-b border-line [contain-intrinsic-size:auto_12rem] [content-visibility:auto]">
      <div className="flex items-baseline gap-3 bg-sunken px-4 py-2">
        <h3 className="min-w-0 text-sm">{group.title}</h3>
        <span className="ml-auto shrink-0 text-xs text-ink-soft">
          <ExactTime at={group.at} />
        </span>
      </div>
      <ol aria-label={group.title}>
        {group.entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </ol>
    </li>
  );
});

const queryKey = ["inspector"];
const shownMax = 500;
// With a live stream, polling is only a fallback.
const everyMs = { live: 30_000, alone: 1500 };

/** This person's entries, kept up to date inside a LiveProvider. */
export function useEntries(): { data: Content | undefined; isError: boolean } {
  const client = useQueryClient();
  const { data, isError } = useQuery({
    queryKey,
    queryFn: async () => {
      const known = client.getQueryData<Content>(queryKey);
      const { entries, upTo } = await readEntries(known?.upTo);
      return { entries: joinEntries(known?.entries ?? [], entries, shownMax), upTo };
    },
    meta: { topics: ["inspector"] },
    refetchInterval: () => (isLive() ? everyMs.live : everyMs.alone),
  });
  return { data, isError };
}

async function readEntries(since: string | undefined): Promise<Content> {
  const query = since === undefined ? "" : `?${new URLSearchParams({ since })}`;
  const response = await fetchAsPage(`/api/sandbox/inspector${query}`);
  if (!response.ok) throw new Error(`${brandName} answered ${response.status}.`);
  return response.json();
}
