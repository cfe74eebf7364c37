"use client";

import { usePathname } from "next/navigation";
import { lazy } from "react";
import { SandboxBar } from "#components/sandbox/sandbox-bar.tsx";

const VisitPanel = lazy(async () => ({ default: (await import("./visit-panel.tsx")).VisitPanel }));

type VisitBarProps = Record<"decide" | "jump", (form: FormData) => Promise<void>>;

export function VisitBar({ decide, jump }: VisitBarProps) {
  const [, visitId] = /^\/login\/oauth\/authorize\/([^/]+)$/.exec(usePathname() ?? "") ?? [];
  if (visitId === undefined) return null;
  return (
    <SandboxBar>
      <VisitPanel visitId={visitId} decide={decide} jump={jump} />
    </SandboxBar>
  );
}
