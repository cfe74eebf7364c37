"use client";

import dynamic from "next/dynamic";
import { SandboxBar } from "#components/sandbox/sandbox-bar.tsx";
import type { SandboxActions } from "./sandbox-actions.ts";

// Most pages are left without it having been opened.
const HarborPanel = dynamic(async () => (await import("./harbor-panel.tsx")).HarborPanel, { ssr: false });

/** Harbor's sandbox bar. */
export function HarborBar({ actions }: { actions: SandboxActions }) {
  return (
    <SandboxBar>
      <HarborPanel actions={actions} />
    </SandboxBar>
  );
}
