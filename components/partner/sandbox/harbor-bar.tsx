"use client";

import { lazy } from "react";
import { SandboxBar } from "#components/sandbox/sandbox-bar.tsx";
import type { SandboxActions } from "./harbor-panel.tsx";

// Most pages are left without it having been opened. Not by next/dynamic, which is 3 KB of script on every page.
const HarborPanel = lazy(async () => ({ default: (await import("./harbor-panel.tsx")).HarborPanel }));

/** Harbor's sandbox bar. */
export function HarborBar({ actions }: { actions: SandboxActions }) {
  return (
    <SandboxBar>
      <HarborPanel actions={actions} />
    </SandboxBar>
  );
}
