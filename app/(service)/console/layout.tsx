import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ConsoleFrame } from "#components/console/console-frame.tsx";
import { serviceConfig } from "#lib/service/config.ts";
import { findConsoleClient } from "./console-client.ts";

export const metadata: Metadata = {
  title: { default: "Console", template: "%s · Console · Plainbook" },
  robots: { index: false },
};

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const client = await findConsoleClient();
  return (
    <ConsoleFrame clientId={client?.clientId} baseUrl={serviceConfig().baseUrl}>
      {children}
    </ConsoleFrame>
  );
}
