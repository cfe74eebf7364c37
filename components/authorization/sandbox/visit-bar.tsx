"use client";

import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { SandboxBar } from "#components/sandbox/sandbox-bar.tsx";

const VisitPanel = dynamic(async () => (await import("./visit-panel.tsx")).VisitPanel, { ssr: false });

type VisitBarProps = Record<"decide" | "jump", (form: FormData) => Promise<void>>;

/** The service's sandbox bar, on the pages of a visit. */
export function VisitBar({ decide, jump }: VisitBarProps) {
  const [, visitId] = /^\/login\/oauth\/authorize\/([^/]+)$/.exec(usePathname() ?? "") ?? [];
  if (visitId === undefined) return null;
  return (
    <SandboxBar>
      <VisitPanel visitId={visitId} decide={decide} jump={jump} />
    </SandboxBar>
  );
}
