"use client";

import { useQuery } from "@tanstack/react-query";
import { Device } from "#components/sandbox/device.tsx";
import type { SandboxDevice } from "#lib/partner/sandbox/sandbox-messages.ts";
import { useWords } from "#use-words";
import { QueryProvider } from "../live/query-provider.tsx";

const refetchMs = 1500;

export function LiveDevices() {
  return (
    <QueryProvider>
      <DevicesWithMessages />
    </QueryProvider>
  );
}

function DevicesWithMessages() {
  const { data } = useQuery({ queryKey: ["sandbox-messages"], queryFn: fetchDevices, refetchInterval: refetchMs });
  const t = useWords("code.devices");
  return data?.map(({ kind, address, messages }) => (
    <Device
      key={kind}
      kind={kind}
      title={t(kind === "text" ? "phone" : "inbox")}
      address={address}
      messages={messages}
    />
  ));
}

/** The current contents of the sandbox's phone and inbox. */
export async function fetchDevices(): Promise<SandboxDevice[]> {
  const response = await fetch("/api/sandbox/messages", { cache: "no-store" });
  if (!response.ok) throw new Error(`The sandbox answered ${response.status}.`);
  const { devices }: { devices: SandboxDevice[] } = await response.json();
  return devices;
}
