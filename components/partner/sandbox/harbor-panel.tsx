"use client";

import { useQuery } from "@tanstack/react-query";
import type { BarContent } from "#lib/partner/sandbox/bar-content.ts";
import { QueryProvider } from "../query-provider.tsx";
import { BecomeTool } from "./become-tool.tsx";
import { ClockTool } from "./clock-tool.tsx";
import { DecideTool } from "./decide-tool.tsx";
import type { SandboxActions } from "./sandbox-actions.ts";
import { StartOverTool } from "./start-over-tool.tsx";

const refetchMs = 2000;

/** The tools of Harbor's sandbox bar, with what is there to be used on. */
export function HarborPanel({ actions }: { actions: SandboxActions }) {
  return (
    <QueryProvider>
      <Tools actions={actions} />
    </QueryProvider>
  );
}

function Tools({ actions }: { actions: SandboxActions }) {
  const { data, refetch } = useQuery({ queryKey: ["sandbox-bar"], queryFn: readContent, refetchInterval: refetchMs });
  if (!data) return <p className="min-h-40 text-sm">One moment.</p>;
  const { current, others, waiting, clocks } = data;
  return (
    <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
      <BecomeTool current={current} others={others} action={actions.become} />
      {current ? (
        <>
          <DecideTool waiting={waiting} action={actions.decide} onDone={() => void refetch()} />
          <ClockTool clocks={clocks} jump={actions.jump} reset={actions.resetClocks} onDone={() => void refetch()} />
        </>
      ) : null}
      <StartOverTool isSignedIn={current !== null} freshPerson={actions.freshPerson} freshDemo={actions.freshDemo} />
    </div>
  );
}

async function readContent(): Promise<BarContent> {
  const response = await fetch("/api/sandbox/bar", { cache: "no-store" });
  if (!response.ok) throw new Error(`The sandbox bar was answered with ${response.status}.`);
  return response.json();
}
