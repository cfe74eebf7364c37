import type { ReactNode } from "react";
import { PageFrame } from "#components/authorization/page-frame.tsx";
import { SandboxTools } from "./sandbox-tools.tsx";

export default function AuthorizationLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <SandboxTools />
      <PageFrame>{children}</PageFrame>
    </>
  );
}
