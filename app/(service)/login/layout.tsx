import type { ReactNode } from "react";
import { PageFrame } from "#components/authorization/page-frame.tsx";
import { providers } from "#lib/service/providers.ts";
import { SandboxTools } from "./sandbox-tools.tsx";

export default function AuthorizationLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <SandboxTools />
      <PageFrame isSandbox={providers().visitTools !== undefined}>{children}</PageFrame>
    </>
  );
}
