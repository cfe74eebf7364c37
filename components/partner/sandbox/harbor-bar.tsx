"use client";

import { lazy } from "react";
import { SandboxBar } from "#components/sandbox/sandbox-bar.tsx";
import type { SandboxActions } from "./harbor-panel.tsx";

// Loaded when first opened. next/dynamic would add 3 KB to every page.
const HarborPanel = lazy(async () => ({ default: (await import("./harbor-panel.tsx")).HarborPanel }));

export function HarborBar({ actions }: { actions: SandboxActions }) {
  return (
    <SandboxBar>
      <HarborPanel actions={actions} />
    </SandboxBar>
  );
}
