"use client";

import { useState } from "react";
import { brandName } from "#brand/name.ts";
import { Button } from "#components/ui/button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { groupEntries } from "#lib/partner/inspector/groups.ts";
import { LiveProvider } from "../live/live-provider.tsx";
import { ActionGroup } from "./action-group.tsx";
import { useEntries } from "./use-entries.ts";

/** What the drawer holds: what this person's actions caused, as it happens. */
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain -outline-offset-2"
    >
      {isError ? (
        <p role="status" className="bg-warning-soft px-4 py-2 text-sm text-warning">
          Out of touch for a moment. {data ? "What you see is the last we know." : "It keeps asking."}
        </p>
      ) : null}
      {!data && !isError ? <Waiting /> : null}
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

function Waiting() {
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
        Go on in the page. Every call that {brandName} makes for you, every request it answers and every webhook appears
        here.
      </p>
    </div>
  );
}
